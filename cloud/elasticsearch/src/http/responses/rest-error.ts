import type { Document } from '@drover/formats';
import { briefFailure, ElasticsearchError, type Failure, fullFailure, NotModelled } from '../../engine/errors.ts';

type Headers = Readonly<Record<string, string>>;

/** Ends a request with an error body and a status that the HTTP layer chooses. */
export class RestError extends ElasticsearchError {
  readonly status: number;

  constructor(status: number, failure: Failure) {
    super(failure);
    this.status = status;
  }
}

/** A response whose `error` is a plain text. */
export class PlainRestError extends Error {
  readonly status: number;
  readonly body: Document;
  readonly headers: Headers;

  constructor(status: number, body: Document, headers: Headers = {}) {
    super(String(body.error));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Statuses of the exceptions that the engine throws; every other exception is an internal error. */
const statuses: Readonly<Record<number, readonly string[]>> = {
  400: [
    'action_request_validation_exception',
    'document_parsing_exception',
    'illegal_argument_exception',
    'index_closed_exception',
    'invalid_alias_name_exception',
    'invalid_index_name_exception',
    'invalid_index_template_exception',
    'invalid_snapshot_name_exception',
    'mapper_parsing_exception',
    'parse_exception',
    'parsing_exception',
    'resource_already_exists_exception',
    'settings_exception',
    'snapshot_in_progress_exception',
    'snapshot_name_already_in_use_exception',
    'strict_dynamic_mapping_exception',
    'validation_exception',
    'x_content_parse_exception',
  ],
  404: [
    'document_missing_exception',
    'index_not_found_exception',
    'repository_missing_exception',
    'resource_not_found_exception',
    'shard_not_found_exception',
    'snapshot_missing_exception',
  ],
  409: ['version_conflict_engine_exception'],
  503: [
    'concurrent_snapshot_execution_exception',
    'master_not_discovered_exception',
    'node_closed_exception',
    'search_phase_execution_exception',
    'unavailable_shards_exception',
  ],
};
const statusOfType = new Map(
  Object.entries(statuses).flatMap(([status, types]) => types.map((type) => [type, Number(status)] as const)),
);

/** A block names its status: `blocked by: [FORBIDDEN/5/index read-only (api)]`. */
const statusOfBlock: Readonly<Record<string, number>> = { FORBIDDEN: 403, TOO_MANY_REQUESTS: 429 };

export function statusOf(error: ElasticsearchError): number {
  if (error instanceof RestError) return error.status;
  const { type, reason } = error.failure;
  if (type === 'security_exception') return challenges(error) === undefined ? 403 : 401;
  if (type === 'cluster_block_exception') return statusOfBlock[/\[([A-Z_]+)\//.exec(reason ?? '')?.[1] ?? ''] ?? 503;
  return statusOfType.get(type) ?? 500;
}

/** For programs that tell a refusal of the model from one of a server. */
export const notModelledHeader = 'x-drover-not-modelled';

/** Headers of an error response: a request without valid credentials gets `WWW-Authenticate`. */
export function headersOf(error: ElasticsearchError): Headers {
  if (error instanceof NotModelled) return { [notModelledHeader]: '1' };
  const list = challenges(error);
  return list === undefined ? {} : { 'WWW-Authenticate': list.join(', ') };
}

function challenges({ failure }: ElasticsearchError): readonly string[] | undefined {
  return (failure.details?.header as { readonly 'WWW-Authenticate': readonly string[] } | undefined)?.[
    'WWW-Authenticate'
  ];
}

export function errorBody(error: ElasticsearchError): Document {
  const { failure } = error;
  const roots = failure.rootCause ?? [failure];
  return { error: { root_cause: roots.map(briefFailure), ...fullFailure(failure) }, status: statusOf(error) };
}

import type { Document } from '@drover/formats';
import { briefFailure, ElasticsearchError, type Failure, fullFailure, NotModelled } from '../../engine/errors.ts';
import statuses from './statuses.json' with { type: 'json' };

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

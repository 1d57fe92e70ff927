import type { Document, Value } from '@drover/formats';

/** One exception as Elasticsearch describes it in a response. */
export interface Failure {
  readonly type: string;
  readonly reason: string | null;
  readonly details?: Document;
  readonly causedBy?: Failure;
  /** The `root_cause`, if it is not the failure itself. */
  readonly rootCause?: readonly Failure[];
  readonly suppressed?: readonly Failure[];
  /** Members that stand only in the error itself, not in its root cause. */
  readonly outer?: Document;
}

/** A request that Elasticsearch refuses. The HTTP layer knows which status belongs to which type. */
export class ElasticsearchError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.type}: ${failure.reason}`);
    this.failure = failure;
  }
}

/** Refuses what a real server would do: the reason and a header say that only the embedded one cannot. */
export class NotModelled extends ElasticsearchError {
  constructor(what: string) {
    super({ type: 'illegal_argument_exception', reason: `not modelled by the embedded cluster: ${what}` });
  }
}

/** Type, reason and details: what `root_cause` lists. */
export const briefFailure = (failure: Failure): Document => ({
  type: failure.type,
  reason: failure.reason,
  ...failure.details,
});

/** The failure with its causes, as `error` or as a member of another response. */
export function fullFailure(failure: Failure): Document {
  const result: Record<string, Value> = { ...briefFailure(failure), ...failure.outer };
  if (failure.causedBy !== undefined) result.caused_by = fullFailure(failure.causedBy);
  if (failure.suppressed !== undefined) result.suppressed = failure.suppressed.map(fullFailure);
  return result;
}

export const illegalArgument = (reason: string, causedBy?: Failure) =>
  new ElasticsearchError({
    type: 'illegal_argument_exception',
    reason,
    ...(causedBy === undefined ? {} : { causedBy }),
  });

/** `Validation Failed: 1: …;2: …;` */
export function validationFailed(
  problems: readonly string[],
  type = 'action_request_validation_exception',
): ElasticsearchError {
  const list = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  return new ElasticsearchError({ type, reason: `Validation Failed: ${list}` });
}

export const parseError = (reason: string) => new ElasticsearchError({ type: 'parse_exception', reason });

/** `withResource`: as the index resolver reports a name without wildcards. */
export function indexNotFound(name: string, withResource = true): ElasticsearchError {
  const resource = withResource ? { 'resource.type': 'index_or_alias', 'resource.id': name } : {};
  return new ElasticsearchError({
    type: 'index_not_found_exception',
    reason: `no such index [${name}]`,
    details: { ...resource, index_uuid: '_na_', index: name },
  });
}

export const resourceNotFound = (reason: string) =>
  new ElasticsearchError({ type: 'resource_not_found_exception', reason });

export const notMaster = () => new ElasticsearchError({ type: 'master_not_discovered_exception', reason: null });

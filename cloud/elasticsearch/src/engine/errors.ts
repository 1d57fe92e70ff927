import type { XObject, XValue } from './values/value.ts';

/** One exception as Elasticsearch describes it in an answer. */
export interface Failure {
  readonly type: string;
  readonly reason: string | null;
  readonly details?: XObject;
  readonly causedBy?: Failure;
  /** What `root_cause` shows, where it is not the failure itself. */
  readonly rootCause?: readonly Failure[];
  readonly suppressed?: readonly Failure[];
  /** Members that stand only in the error itself, not in its root cause. */
  readonly outer?: XObject;
}

/** Ends a request with an error body. */
export class RestError extends Error {
  readonly status: number;
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, failure: Failure, headers: Readonly<Record<string, string>> = {}) {
    super(`${failure.type}: ${failure.reason}`);
    this.status = status;
    this.failure = failure;
    this.headers = headers;
  }
}

/** An answer whose `error` is a plain text. */
export class PlainRestError extends Error {
  readonly status: number;
  readonly body: XObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: XObject, headers: Readonly<Record<string, string>> = {}) {
    super(String(body.error));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function errorBody({ status, failure }: RestError): XObject {
  const roots = failure.rootCause ?? [failure];
  return { error: { root_cause: roots.map(brief), ...full(failure) }, status };
}

const brief = (failure: Failure): XObject => ({ type: failure.type, reason: failure.reason, ...failure.details });

/** The failure with its causes, as `error` or as a member of another answer. */
export function full(failure: Failure): XObject {
  const result: Record<string, XValue> = { ...brief(failure), ...failure.outer };
  if (failure.causedBy !== undefined) result.caused_by = full(failure.causedBy);
  if (failure.suppressed !== undefined) result.suppressed = failure.suppressed.map(full);
  return result;
}

export const illegalArgument = (reason: string, causedBy?: Failure) =>
  new RestError(400, { type: 'illegal_argument_exception', reason, ...(causedBy === undefined ? {} : { causedBy }) });

/** `Validation Failed: 1: …;2: …;` */
export function validationFailed(problems: readonly string[], type = 'action_request_validation_exception'): RestError {
  const list = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  return new RestError(400, { type, reason: `Validation Failed: ${list}` });
}

export const parseError = (reason: string) => new RestError(400, { type: 'parse_exception', reason });

/** `withResource` as the index resolver adds it for a name that was asked for as such. */
export function indexNotFound(name: string, withResource = true): RestError {
  const resource = withResource ? { 'resource.type': 'index_or_alias', 'resource.id': name } : {};
  return new RestError(404, {
    type: 'index_not_found_exception',
    reason: `no such index [${name}]`,
    details: { ...resource, index_uuid: '_na_', index: name },
  });
}

export const resourceNotFound = (reason: string) =>
  new RestError(404, { type: 'resource_not_found_exception', reason });

export const notMaster = () => new RestError(503, { type: 'master_not_discovered_exception', reason: null });

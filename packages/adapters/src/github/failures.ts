import { TerminalError, TransientError } from '@drover/core';
import { levelNames, type PlatformLevel } from '@drover/core/names/platform-level';

/** Why the platform said no, for those who explain it to an operator. */
export type RefusalReason =
  | 'bad-credentials'
  | 'missing-right'
  | 'suspended'
  | 'single-sign-on'
  | 'address-not-allowed'
  | 'not-found'
  | 'refused';

/** The platform refused: an operator has to change something. */
export class PlatformStatusError extends TerminalError {
  readonly status: number;
  readonly reason: RefusalReason;

  constructor(
    message: string,
    status: number,
    reason: RefusalReason,
    options: { readonly remedy?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

/** Whether the platform refused with this status. */
export const hasStatus =
  (status: number, message = /(?:)/) =>
  (error: unknown): boolean =>
    error instanceof PlatformStatusError && error.status === status && message.test(error.message);

export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** A response that is no success, as far as it is needed to explain it. */
export interface FailedAnswer {
  /** Undefined when there was none. */
  readonly status?: number;
  readonly headers: AnswerHeaders;
  /** The platform's words, or those of the network. */
  readonly message: string;
  readonly cause: unknown;
}

export interface FailedRequest {
  readonly route: string;
  readonly apiUrl: string;
  readonly level: PlatformLevel;
  readonly now: number;
}

/** Makes the error for a failure: it says whether trying again can help, and what to do. */
export function explainFailure(answer: FailedAnswer, request: FailedRequest): TerminalError | TransientError {
  const { status, cause } = answer;
  if (status === undefined) return unreachable(answer, request);
  const what = `${request.route} returned ${status}: ${brief(answer.message)}`;
  if (status >= 500) return new TransientError(what, { cause });
  const pauseMs = limitPauseMs(answer, request.now);
  if (pauseMs !== undefined) return overLimit(answer, what, pauseMs);
  const { reason, remedy } = refusalOf(answer, request);
  return new PlatformStatusError(what, status, reason, { cause, ...(remedy === undefined ? {} : { remedy }) });
}

function unreachable({ message, cause }: FailedAnswer, { route, apiUrl }: FailedRequest): TransientError {
  return new TransientError(`${route} got no response from ${apiUrl}: ${message}`, {
    cause,
    remedy: `if it stays so: in a VPC the functions' subnets need a way out to ${apiUrl} (NAT, DNS, security group)`,
  });
}

/** A limit that asks for longer than its own window is not believed. */
export const longestPauseMs = 3_600_000;

/**
 * How long a limit asks us to stay away; undefined when it was no limit. In the order of docs.github.com, "Rate limits
 * for the REST API": `retry-after`, else the reset of a used-up budget, else a minute.
 */
function limitPauseMs({ status, headers, message }: FailedAnswer, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers['retry-after']);
  if (retryAfter > 0) return Math.min(retryAfter * 1000, longestPauseMs);
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0)
    return Math.min(Math.max(reset * 1000 - now, 1_000), longestPauseMs);
  return status === 429 || /rate limit/i.test(message) ? 60_000 : undefined;
}

function overLimit({ headers, message, cause }: FailedAnswer, what: string, retryAfterMs: number): TransientError {
  const secondary = /secondary/i.test(message) || headers['retry-after'] !== undefined;
  return new TransientError(`${what} (${secondary ? 'secondary' : 'primary'} rate limit)`, {
    cause,
    retryAfterMs,
    remedy: secondary
      ? 'it asks for a pause and gets it; if it comes often, fewer fleets should share this token or app'
      : 'the budget of this token or app is used up until its hour ends: give each fleet its own app, or set runner_group',
  });
}

interface Refusal {
  readonly reason: RefusalReason;
  readonly remedy?: string;
}

function refusalOf(answer: FailedAnswer, request: FailedRequest): Refusal {
  const { status, headers, message } = answer;
  if (isHtml(headers)) return { reason: 'not-found', remedy: wrongAddress(request.apiUrl) };
  const { name } = request.level;
  const account = name.split('/')[0]!;
  if (status === 401) return { reason: 'bad-credentials', remedy: badCredentials };
  if (status === 404) return { reason: 'not-found', remedy: notFound(request) };
  if (status !== 403) return { reason: 'refused' };
  if (/suspended/i.test(message))
    return { reason: 'suspended', remedy: `an owner of ${account} has to let the app's installation in again` };
  if (headers['x-github-sso'] !== undefined)
    return { reason: 'single-sign-on', remedy: `authorise the token for single sign-on of ${account}` };
  if (/IP allow list/i.test(message))
    return { reason: 'address-not-allowed', remedy: `add the NAT addresses to the IP allow list of ${account}` };
  return { reason: 'missing-right', remedy: `${missingRight(request)}${rightsIn(headers)}` };
}

const badCredentials =
  'the credentials are invalid, expired or revoked: store a valid token, or the app id and its private key, in the configured secret';

/** Contains the specification's wording, which a reader may search for, though the platform words it differently. */
const missingRight = ({ route, level }: FailedRequest) =>
  `the credentials are rejected ("Bad credentials") because they lack a right: ${/ \/repos\/.*(runs|rerun)/.test(route) ? 'Actions: write' : levelNames[level.kind].right}`;

const notFound = (request: FailedRequest) => {
  const { kind, name } = request.level;
  return `check that ${levelNames[kind].input} ${JSON.stringify(name)} is spelt right and that the token's owner or the app belongs to it; ${missingRight(request)}`;
};

/** A hint about the form of the API's address. */
export const wrongAddress = (apiUrl: string): string =>
  `platform_api ${apiUrl} is not GitHub's REST API: it is https://api.github.com, https://api.<subdomain>.ghe.com, or https://<host>/api/v3 of an Enterprise Server`;

/** Rights as the platform reports them: those the token has, and those the request needs. */
function rightsIn(headers: AnswerHeaders): string {
  const scopes = headers['x-oauth-scopes'];
  const wanted = headers['x-accepted-oauth-scopes'] || headers['x-accepted-github-permissions'];
  if (wanted === undefined || wanted === '') return '';
  return scopes === undefined ? ` (wanted: ${wanted})` : ` (the token has: ${scopes || 'none'}; wanted: ${wanted})`;
}

export const isHtml = (headers: AnswerHeaders): boolean => /^text\/html/i.test(headers['content-type'] ?? '');

/** A page for people is shortened to its title. */
function brief(message: string): string {
  const title = /<title>([^<]*)<\/title>/i.exec(message)?.[1];
  if (title !== undefined) return `an HTML page, "${title.trim()}"`;
  return message.length > 300 ? `${message.slice(0, 300)}…` : message;
}

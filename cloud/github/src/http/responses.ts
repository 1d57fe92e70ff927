import type { HttpResponse } from '@drover/cloud-engine';

/** An error as the code host answers it: a message and the page that documents it. */
export class PlatformError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Page and anchor below docs.github.com; undefined means the page of the route. */
  readonly page: string | undefined;
  /** Refused by a limit: costs nothing more. */
  readonly overLimit: boolean;

  constructor(
    status: number,
    message: string,
    options: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly page?: string;
      readonly overLimit?: boolean;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.page = options.page;
    this.overLimit = options.overLimit ?? false;
  }
}

const front = 'rest';

/** docs.github.com, "Authenticating to the REST API": failed logins. */
export const badCredentials = (): PlatformError => new PlatformError(401, 'Bad credentials', { page: front });
export const requiresAuthentication = (): PlatformError => new PlatformError(401, 'Requires authentication');
export const notFound = (): PlatformError => new PlatformError(404, 'Not Found');

/** For what the real platform has and this one does not model: loud, so that nobody builds on it. */
export const notModelled = (what: string): PlatformError =>
  new PlatformError(501, `the embedded code host does not model ${what}`, { page: front });

/** An answer whose body is text already, or nothing. */
export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>>): HttpResponse {
  if (status === 204 || status === 304) return { status, headers, body: '' };
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body: text };
}

/** The body of an error: docs.github.com, "Troubleshooting the REST API". */
export const errorBody = (error: PlatformError, docs: string): string =>
  JSON.stringify({ message: error.message, documentation_url: docs, status: String(error.status) });

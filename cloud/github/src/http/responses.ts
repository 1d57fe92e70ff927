import type { HttpResponse } from '@drover/cloud-engine';

/** An error response: a message and the page that documents it. */
export class GitHubError extends Error {
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
export const badCredentials = (): GitHubError => new GitHubError(401, 'Bad credentials', { page: front });
export const requiresAuthentication = (): GitHubError => new GitHubError(401, 'Requires authentication');
export const notFound = (): GitHubError => new GitHubError(404, 'Not Found');

/** For what GitHub has and this package does not model: an explicit error, so that no program relies on it. */
export const notModelled = (what: string): GitHubError =>
  new GitHubError(501, `the embedded code host does not model ${what}`, { page: front });

/** A response whose body is text already, or empty. */
export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>>): HttpResponse {
  if (status === 204 || status === 304) return { status, headers, body: '' };
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body: text };
}

/** The body of an error: docs.github.com, "Troubleshooting the REST API". */
export const errorBody = (error: GitHubError, docs: string): string =>
  JSON.stringify({ message: error.message, documentation_url: docs, status: String(error.status) });

import type { HttpResponse } from '../engine/http.ts';

/** An error as the code host answers it: a message and the page that documents it. */
export class PlatformError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const docs = 'https://docs.github.com/rest';

export const badCredentials = (): PlatformError => new PlatformError(401, 'Bad credentials');
export const notFound = (): PlatformError => new PlatformError(404, 'Not Found');

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  if (status === 204) return { status, headers, body: '' };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

export const errorAnswer = (error: PlatformError): HttpResponse =>
  json(error.status, { message: error.message, documentation_url: docs, status: String(error.status) }, error.headers);

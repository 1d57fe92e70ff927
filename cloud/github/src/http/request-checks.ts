import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import { apiVersion } from './presentation.ts';
import { GitHubError } from './responses.ts';

/** docs.github.com, "Troubleshooting the REST API": User agent required; Not a supported version. */
export function checkRequest(request: HttpRequest): void {
  if ((request.headers['user-agent'] ?? '') === '')
    throw new GitHubError(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  const version = request.headers['x-github-api-version'];
  if (version !== undefined && version !== apiVersion)
    throw new GitHubError(400, `${version} is not a supported version; this code host models ${apiVersion}`);
}

/** docs.github.com, "Troubleshooting the REST API": Problems parsing JSON; Body should be a JSON object. */
export function readBody(request: HttpRequest): Readonly<Record<string, unknown>> {
  if (request.body.length === 0) return {};
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(request.body).toString('utf8'));
  } catch {
    throw new GitHubError(400, 'Problems parsing JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new GitHubError(400, 'Body should be a JSON object');
  return body as Record<string, unknown>;
}

/** An Enterprise Server's response outside of its API. */
export const webPage: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html><html><head><title>Page not found</title></head><body>Page not found</body></html>',
};

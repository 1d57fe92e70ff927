import { request as octokit } from '@octokit/request';
import { describe, expect, it } from 'vitest';
import { type RouteParameters, routeRequest } from './route-request.ts';

const apiUrl = 'https://ghe.example.com/api/v3';

describe('request of a route', () => {
  it.each<[string, RouteParameters?, Readonly<Record<string, string>>?]>([
    ['GET /orgs/acme/actions/runners', { per_page: 100, page: 2 }],
    ['GET /orgs/acme/actions/runner-groups/{runner_group_id}/runners', { runner_group_id: 7, per_page: 100 }],
    ['GET /orgs/acme/actions/runner-groups', { visible_to_repository: 'a/b c&d' }],
    ['GET /rate_limit'],
    ['GET /orgs/acme/actions/runners/deprecations/{version}', { version: "2.300.0/../(it's)*!" }],
    ['GET https://mirror.example.com/releases/latest'],
    ['POST /app/installations/{installation_id}/access_tokens', { installation_id: 5 }],
    ['POST /app/installations/{installation_id}/access_tokens', { installation_id: 5, repositories: ['a', 'b'] }],
    ['PUT /orgs/acme/actions/runners/{runner_id}/labels', { runner_id: 9, labels: ['one', 'ü'] }],
    ['DELETE /orgs/acme/actions/runners/{runner_id}', { runner_id: 9 }],
    ['POST /actions/runner-registration', {}, { url: 'https://github.com/acme', runner_event: 'register' }],
  ])("a request is the one that GitHub's own client makes: %s %o", (route, parameters = {}, body) => {
    const theirs = octokit.endpoint(route, {
      baseUrl: apiUrl,
      ...parameters,
      ...(body === undefined ? {} : { data: body }),
    });
    const { 'user-agent': _, ...headers } = theirs.headers;

    expect(routeRequest(route, apiUrl, parameters, body)).toEqual({
      url: theirs.url,
      method: theirs.method,
      headers,
      ...(theirs.body === undefined ? {} : { body: JSON.stringify(theirs.body) }),
    });
  });
});

import { GitHubError } from '../responses.ts';
import { json, type Route } from './route.ts';

/** docs.github.com, "REST API endpoints for rate limits". It counts against no primary limit. */
export const rateLimitRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/rate_limit',
    docs: 'rest/rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user',
    access: 'any',
    resource: undefined,
    answer: ({ host, caller }) => {
      if (!host.limits.enabled) throw new GitHubError(404, 'Rate limiting is not enabled.');
      const core = host.limits.status(caller.account, 'core');
      const registration = host.limits.status(caller.account, 'actions_runner_registration');
      const unused = (limit: number) => ({ limit, used: 0, remaining: limit, reset: core.reset });
      return json(200, {
        resources: {
          core,
          search: unused(30),
          graphql: unused(5000),
          integration_manifest: unused(5000),
          source_import: unused(100),
          actions_runner_registration: registration,
          scim: unused(15_000),
        },
        rate: core,
      });
    },
  },
];

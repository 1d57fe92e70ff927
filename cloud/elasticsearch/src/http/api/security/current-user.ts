import type { Value } from '@drover/formats';
import type { Principal } from '../../../engine/security/authenticate.ts';
import type { Call } from '../../call.ts';
import { PlainRestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const securitySelfRoutes: readonly Endpoint[] = [
  {
    api: 'security.authenticate',
    action: 'cluster:admin/xpack/security/user/authenticate',
    run: authenticate,
  },
];

/** Without security these endpoints are not there. */
export function principal(call: Call): Principal {
  if (call.user === undefined)
    throw new PlainRestError(400, { error: `no handler found for uri [${call.path}] and method [${call.method}]` });
  return call.user;
}

function authenticate(call: Call): Reply {
  const user = principal(call);
  return {
    body: {
      username: user.username,
      roles: user.roles,
      full_name: user.fullName,
      email: user.email,
      metadata: user.metadata as Value,
      enabled: true,
      authentication_realm: user.realm,
      lookup_realm: user.realm,
      authentication_type: user.kind,
    },
  };
}

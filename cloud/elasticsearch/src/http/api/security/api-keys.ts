import { illegalArgument, NotModelled, validationFailed } from '../../../engine/errors.ts';
import { kibanaAccount, serviceTokenPrefix } from '../../../engine/security/authenticate.ts';
import { changeSecurity } from '../../../engine/security/security-index.ts';
import { type ApiKey, hashPassword } from '../../../engine/security/security-state.ts';
import { base64Id, timeBasedId } from '../../../engine/state/ids.ts';
import { parseTimeMs } from '../../../engine/values/units.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { principal } from './current-user.ts';
import { readRole, refuseRole } from './roles.ts';

export const securityApiKeyRoutes: readonly Endpoint[] = [
  {
    api: 'security.create_api_key',
    action: 'cluster:admin/xpack/security/api_key/create',
    run: create,
  },
  {
    api: 'security.create_service_token',
    action: 'cluster:admin/xpack/security/service_account/token/create',
    run: createToken,
  },
];

/** "Create a service account token": the value is shown only here. */
async function createToken(call: Call): Promise<Reply> {
  const account = `${call.text('namespace')}/${call.text('service')}`;
  const name = call.text('name') ?? `token_${base64Id(call.cluster.random)}`;
  if (account !== kibanaAccount) throw new NotModelled(`the service account [${account}]`);
  if (!/^(?!_)[\w-]{1,256}$/.test(name))
    throw validationFailed([
      'service account token name must have at least 1 character and at most 256 characters that are alphanumeric (A-Z, a-z, 0-9) or hyphen (-) or underscore (_). It must not begin with an underscore (_).',
    ]);
  const id = `${account}/${name}`;
  const secret = base64Id(call.cluster.random);
  await changeSecurity(call, `service_account_token-${id}`, (now) => {
    if (now.serviceTokens.has(id))
      throw new RestError(409, {
        type: 'version_conflict_engine_exception',
        reason: `[service_account_token-${id}]: version conflict, document already exists`,
      });
    return { serviceTokens: new Map(now.serviceTokens).set(id, hashPassword(secret, id)) };
  });
  const value = Buffer.concat([serviceTokenPrefix, Buffer.from(`${id}:${secret}`)]).toString('base64');
  return { body: { created: true, token: { name, value } } };
}

async function create(call: Call): Promise<Reply> {
  const user = principal(call);
  const body = call.object();
  if (body.name === undefined) throw illegalArgument('Required [name]');
  const lifetime = body.expiration === undefined ? undefined : parseTimeMs(String(body.expiration));
  if (body.expiration !== undefined && lifetime === undefined) {
    const cause = {
      type: 'illegal_argument_exception',
      reason: `failed to parse setting [expiration] with value [${body.expiration}] as a time value: unit is missing or unrecognized`,
    };
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: 'Failed to build [api_key_request] after last required field arrived',
      causedBy: cause,
    });
  }
  const descriptors = isDocument(body.role_descriptors) ? body.role_descriptors : {};
  const roleDescriptors = Object.fromEntries(
    Object.entries(descriptors).map(([name, role]) => [name, readRole(name, isDocument(role) ? role : {})]),
  );
  const problems = Object.entries(roleDescriptors).flatMap(([name, role]) => refuseRole(`api-key-${name}`, role));
  if (problems.length > 0) throw validationFailed(problems);
  const [id, secret] = [timeBasedId(call.cluster.random), base64Id(call.cluster.random)];
  const key: ApiKey = {
    id,
    name: String(body.name),
    secret: hashPassword(secret, id),
    creationMs: call.now,
    ...(lifetime === undefined ? {} : { expirationMs: call.now + lifetime }),
    username: user.username,
    realm: user.realm.name,
    ownerMetadata: user.metadata,
    roleDescriptors,
    limitedBy: user.permissions[0] ?? [],
    metadata: isDocument(body.metadata) ? (body.metadata as Record<string, unknown>) : {},
  };
  await changeSecurity(call, `api_key-${id}`, (now) => ({ apiKeys: new Map(now.apiKeys).set(id, key) }));
  const encoded = Buffer.from(`${id}:${secret}`).toString('base64');
  return {
    body: {
      id,
      name: key.name,
      ...(key.expirationMs === undefined ? {} : { expiration: key.expirationMs }),
      api_key: secret,
      encoded,
    },
  };
}

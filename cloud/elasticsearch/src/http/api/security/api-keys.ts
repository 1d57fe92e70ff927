import type { Document, Value } from '@drover/formats';
import { illegalArgument, validationFailed } from '../../../engine/errors.ts';
import { changeSecurity } from '../../../engine/security/security-index.ts';
import { type ApiKey, hashPassword, securityState } from '../../../engine/security/security-state.ts';
import { base64Id, timeBasedId } from '../../../engine/state/ids.ts';
import { parseTimeMs } from '../../../engine/values/units.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { principal } from './current-user.ts';
import { readRole, refuseRole, roleBody } from './roles.ts';

const keyAction = (name: string) => `cluster:admin/xpack/security/api_key/${name}`;

export const securityApiKeyRoutes: readonly Endpoint[] = [
  {
    api: 'security.create_api_key',
    action: keyAction('create'),
    run: create,
  },
  {
    api: 'security.get_api_key',
    action: keyAction('get'),
    run: get,
  },
  {
    api: 'security.invalidate_api_key',
    action: keyAction('invalidate'),
    run: invalidate,
  },
];

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
  await changeSecurity(
    call,
    `api_key-${id}`,
    (now) => ({ apiKeys: new Map(now.apiKeys).set(id, key) }),
    ({ core }) => securityState(core.state),
  );
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

function keyBody(key: ApiKey): Document {
  return {
    id: key.id,
    name: key.name,
    type: 'rest',
    creation: key.creationMs,
    ...(key.expirationMs === undefined ? {} : { expiration: key.expirationMs }),
    invalidated: key.invalidatedMs !== undefined,
    ...(key.invalidatedMs === undefined ? {} : { invalidation: key.invalidatedMs }),
    username: key.username,
    realm: key.realm,
    realm_type: key.realm,
    metadata: key.metadata as Value,
    role_descriptors: Object.fromEntries(
      Object.entries(key.roleDescriptors).map(([name, role]) => [name, roleBody(role)]),
    ),
  };
}

async function get(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const [id, name, username] = [call.text('id'), call.text('name'), call.text('username')];
  const all = [...securityState(core.state).apiKeys.values()];
  const own = call.flag('owner') ? all.filter((key) => key.username === call.user?.username) : all;
  const found = own.filter(
    (key) =>
      (id === undefined || key.id === id) &&
      (name === undefined || key.name === name) &&
      (username === undefined || key.username === username),
  );
  return { status: id !== undefined && found.length === 0 ? 404 : 200, body: { api_keys: found.map(keyBody) } };
}

async function invalidate(call: Call): Promise<Reply> {
  const body = call.object();
  const ids = Array.isArray(body.ids) ? body.ids.map(String) : body.id === undefined ? [] : [String(body.id)];
  if (
    ids.length === 0 &&
    body.name === undefined &&
    body.username === undefined &&
    body.realm_name === undefined &&
    body.owner !== true
  )
    throw validationFailed([
      'One of [api key id(s), api key name, username, realm name] must be specified if [owner] flag is false',
    ]);
  const { core } = await call.master();
  const wanted = [...securityState(core.state).apiKeys.values()].filter(
    (key) =>
      key.invalidatedMs === undefined &&
      (ids.length === 0 || ids.includes(key.id)) &&
      (body.name === undefined || key.name === body.name) &&
      (body.username === undefined || key.username === body.username) &&
      (body.owner !== true || key.username === call.user?.username),
  );
  if (wanted.length > 0)
    await changeSecurity(
      call,
      `api_key-${wanted[0]!.id}`,
      (now) => {
        const apiKeys = new Map(now.apiKeys);
        for (const key of wanted) apiKeys.set(key.id, { ...key, invalidatedMs: call.now });
        return { apiKeys };
      },
      (services) => securityState(services.core.state),
    );
  return {
    body: { invalidated_api_keys: wanted.map(({ id }) => id), previously_invalidated_api_keys: [], error_count: 0 },
  };
}

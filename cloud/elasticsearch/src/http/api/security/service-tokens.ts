import { NotModelled, validationFailed } from '../../../engine/errors.ts';
import { kibanaAccount, serviceTokenPrefix } from '../../../engine/security/authenticate.ts';
import { changeSecurity } from '../../../engine/security/security-index.ts';
import { hashPassword, securityState } from '../../../engine/security/security-state.ts';
import { base64Id } from '../../../engine/state/ids.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const serviceTokenRoutes: readonly Endpoint[] = [
  {
    api: 'security.create_service_token',
    action: 'cluster:admin/xpack/security/service_account/token/create',
    run: createToken,
  },
  {
    api: 'security.delete_service_token',
    action: 'cluster:admin/xpack/security/service_account/token/delete',
    run: deleteToken,
  },
  {
    api: 'security.get_service_credentials',
    action: 'cluster:admin/xpack/security/service_account/credential/get',
    run: getCredentials,
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

async function deleteToken(call: Call): Promise<Reply> {
  const id = `${call.text('namespace')}/${call.text('service')}/${call.text('name')}`;
  const { core } = await call.master();
  const found = securityState(core.state).serviceTokens.has(id);
  if (found)
    await changeSecurity(call, `service_account_token-${id}`, (now) => ({
      serviceTokens: new Map([...now.serviceTokens].filter(([name]) => name !== id)),
    }));
  return { status: found ? 200 : 404, body: { found } };
}

/** "Get service account credentials": the names of tokens, never a value. No node has tokens in a file here. */
async function getCredentials(call: Call): Promise<Reply> {
  const account = `${call.text('namespace')}/${call.text('service')}`;
  if (account !== kibanaAccount) throw new NotModelled(`the service account [${account}]`);
  const { core } = await call.master();
  const names = [...securityState(core.state).serviceTokens.keys()].map((id) => id.slice(account.length + 1)).sort();
  const total = core.state.nodes.size;
  return {
    body: {
      service_account: account,
      count: names.length,
      tokens: Object.fromEntries(names.map((name) => [name, {}])),
      nodes_credentials: { _nodes: { total, successful: total, failed: 0 }, file_tokens: {} },
    },
  };
}

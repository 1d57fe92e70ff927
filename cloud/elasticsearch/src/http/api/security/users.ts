import type { Document, Value } from '@drover/formats';
import { type ElasticsearchError, illegalArgument, parseError, validationFailed } from '../../../engine/errors.ts';
import { reservedUsers } from '../../../engine/security/roles.ts';
import { changeSecurity } from '../../../engine/security/security-index.ts';
import { hashPassword, type NativeUser, securityState } from '../../../engine/security/security-state.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

const userAction = (name: string) => `cluster:admin/xpack/security/user/${name}`;
const aboutSelf = (call: Call) => call.text('username') === undefined || call.text('username') === call.user?.username;

export const securityUserRoutes: readonly Endpoint[] = [
  {
    api: 'security.get_user',
    action: userAction('get'),
    run: get,
  },
  {
    api: 'security.put_user',
    action: userAction('put'),
    run: put,
  },
  {
    api: 'security.delete_user',
    action: userAction('delete'),
    run: remove,
  },
  {
    api: 'security.change_password',
    action: userAction('change_password'),
    ownUser: aboutSelf,
    run: changePassword,
  },
];

function userBody(
  username: string,
  roles: readonly string[],
  metadata: unknown,
  enabled: boolean,
  fullName: string | null = null,
  email: string | null = null,
): Document {
  return { username, roles, full_name: fullName, email, metadata: metadata as Value, enabled };
}

const nativeBody = (user: NativeUser) =>
  userBody(user.username, user.roles, user.metadata, user.enabled, user.fullName, user.email);

function allUsers(state: ClusterState): Map<string, Document> {
  const { users } = securityState(state);
  const found = new Map(
    Object.entries(reservedUsers).map(([name, user]) => [name, userBody(name, user.roles, user.metadata, true)]),
  );
  for (const user of users.values()) found.set(user.username, nativeBody(user));
  return found;
}

async function get(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const users = allUsers(core.state);
  const names = call.list('username');
  const chosen =
    names.length === 0
      ? [...users]
      : names.flatMap((name) => (users.has(name) ? [[name, users.get(name)!] as const] : []));
  return { status: chosen.length === 0 && names.length > 0 ? 404 : 200, body: Object.fromEntries(chosen) };
}

const fields = ['password', 'password_hash', 'roles', 'full_name', 'email', 'metadata', 'enabled', 'username'];

async function put(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  const username = call.text('username')!;
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw parseError(`failed to parse add user request. unexpected field [${unknown}]`);
  if (body.username !== undefined && body.username !== username)
    throw illegalArgument(`[username] in source does not match the username provided [${username}]`);
  refuseUser(username, body);
  let created = false;
  await changeSecurity(call, `user-${username}`, (now) => {
    const before = now.users.get(username);
    if (before === undefined && body.password === undefined)
      throw invalid('password must be specified unless you are updating an existing user');
    created = before === undefined;
    return { users: new Map(now.users).set(username, readUser(call, username, body, before)) };
  });
  return { body: { created } };
}

function refuseUser(username: string, body: Document): void {
  const problems: string[] = [];
  if (username in reservedUsers) problems.push(`user [${username}] is reserved and only the password can be changed`);
  if (username !== username.trim() || username.length > 507 || username === '')
    problems.push(
      'User names must be at least 1 and no more than 507 characters. They can contain alphanumeric characters (a-z, A-Z, 0-9), spaces, punctuation, and printable symbols in the Basic Latin (ASCII) block. Leading or trailing whitespace is not allowed.',
    );
  if (body.roles === undefined) problems.push('roles are missing');
  if (problems.length > 0) throw validationFailed(problems);
  if (body.password_hash !== undefined) throw notAHash();
  if (body.password !== undefined) refusePassword(String(body.password));
}

/** Password hashes are not modelled: each is refused with the server's list of supported algorithms. */
function notAHash(): ElasticsearchError {
  const costs = ['_1000', '_10000', '_50000', '_100000', '_500000', '_1000000'];
  const algorithms = [
    ...['', 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((cost) => `bcrypt${cost}`),
    ...['pbkdf2', 'pbkdf2_stretch'].flatMap((name) => ['', ...costs].map((cost) => `${name}${cost}`)),
  ];
  return illegalArgument(
    `The provided password hash is not a hash or it could not be resolved to a supported hash algorithm. The supported password hash algorithms are [${algorithms.join(', ')}]`,
  );
}

function refusePassword(password: string): void {
  if (password.length < 6) throw invalid('passwords must be at least [6] characters long');
}

const invalid = (problem: string) =>
  new RestError(400, { type: 'validation_exception', reason: `Validation Failed: 1: ${problem};` });

function readUser(call: Call, username: string, body: Document, before: NativeUser | undefined): NativeUser {
  const password =
    body.password === undefined ? before!.password : hashPassword(String(body.password), call.cluster.random.hex(16));
  return {
    username,
    password,
    roles: Array.isArray(body.roles) ? body.roles.map(String) : [],
    fullName: body.full_name === undefined ? null : String(body.full_name),
    email: body.email === undefined ? null : String(body.email),
    metadata: isDocument(body.metadata) ? (body.metadata as Record<string, unknown>) : {},
    enabled: body.enabled !== false,
  };
}

async function remove(call: Call): Promise<Reply> {
  const username = call.text('username')!;
  if (username in reservedUsers) throw illegalArgument(`user [${username}] is reserved and cannot be deleted`);
  const { core } = await call.master();
  if (!securityState(core.state).users.has(username)) return { status: 404, body: { found: false } };
  await changeSecurity(call, `user-${username}`, (now) => ({
    users: new Map([...now.users].filter(([name]) => name !== username)),
  }));
  return { body: { found: true } };
}

async function changePassword(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  const unknown = Object.keys(body).find((key) => key !== 'password' && key !== 'password_hash');
  if (unknown !== undefined) throw parseError(`failed to parse change password request. unexpected field [${unknown}]`);
  if (body.password_hash !== undefined) throw notAHash();
  if (body.password === undefined) throw validationFailed(['password is missing']);
  const password = String(body.password);
  refusePassword(password);
  const username = call.text('username') ?? call.user?.username ?? '';
  const services = await call.master();
  const hash = hashPassword(password, call.cluster.random.hex(16));
  const isReserved = username in reservedUsers;
  if (!isReserved && !securityState(services.core.state).users.has(username))
    throw invalid('user must exist in order to change password');
  await changeSecurity(call, `user-${username}`, (now) =>
    isReserved
      ? { reservedPasswords: new Map(now.reservedPasswords).set(username, hash) }
      : { users: new Map(now.users).set(username, { ...now.users.get(username)!, password: hash }) },
  );
  return { body: {} };
}

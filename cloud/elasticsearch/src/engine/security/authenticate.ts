import type { HttpRequest } from '@drover/cloud-engine';
import { ElasticsearchError, type Failure, NotModelled } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { type RoleDescriptor, reservedRoles, reservedUsers } from './roles.ts';
import { matches, securityState } from './security-state.ts';

/** The authenticated user of a request, with its permissions. */
export interface Principal {
  readonly username: string;
  readonly roles: readonly string[];
  /** Names of roles that each node looks up by itself; undefined where the permissions are fixed. */
  readonly ownRoles?: readonly string[];
  /** Those of the roles that are not there. */
  readonly unknownRoles?: readonly string[];
  /** The roles' content. */
  readonly permissions: readonly RoleDescriptor[];
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly realm: { readonly name: string; readonly type: string };
  readonly kind: 'realm' | 'anonymous';
}

export interface SecuritySettings extends NodeSecurity {
  /** Password of `elastic` until it is changed (`bootstrap.password` in the keystore). */
  readonly bootstrapPassword?: string;
  /** Users in the files `users` and `users_roles` of the node. */
  readonly fileUsers?: ReadonlyMap<string, { readonly password: string; readonly roles: readonly string[] }>;
}

/** Settings and files of one node that decide what requests may do there. */
export interface NodeSecurity {
  /** Roles in the configuration file `roles.yml`. */
  readonly roles?: Readonly<Record<string, RoleDescriptor>>;
  /** `xpack.security.authc.anonymous.*`: absent, or without roles, there is no anonymous access. */
  readonly anonymous?: {
    readonly username?: string;
    readonly roles: readonly string[];
    readonly authzException?: boolean;
  };
}

/** Credentials are missing or wrong; says which kinds the cluster takes. */
export function unauthorized(reason: string, details: Failure['details'] = {}, causedBy?: Failure): ElasticsearchError {
  const header = { header: { 'WWW-Authenticate': ['Basic realm="security", charset="UTF-8"', 'ApiKey'] } };
  const failure: Failure = { type: 'security_exception', reason, details: { ...details, ...header } };
  return new ElasticsearchError(causedBy === undefined ? failure : { ...failure, causedBy });
}

/** Finds out who sends a request, from its `Authorization` header and what the node knows. */
export function authenticate(
  request: HttpRequest,
  state: ClusterState | undefined,
  settings: SecuritySettings,
  /** Whether the node can read the security index. */
  secured = true,
): Principal {
  const uri = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const header = request.headers.authorization;
  const [scheme, value] = splitScheme(header);
  if (request.headers['es-security-runas-user'] !== undefined)
    throw new NotModelled('the header [es-security-runas-user]');
  if (scheme === 'basic' && value !== '') return basic(value, state, settings, uri, secured);
  if (scheme === 'apikey') throw noSuchKey(value);
  if (scheme === 'bearer') return serviceAccount(value, state);
  const anonymous = anonymousUser(state, settings);
  if (anonymous === undefined) throw unauthorized(`missing authentication credentials for REST request [${uri}]`);
  return anonymous;
}

function splitScheme(header: string | undefined): [string, string] {
  const space = header?.indexOf(' ') ?? -1;
  if (header === undefined || space < 0) return ['', ''];
  return [header.slice(0, space).toLowerCase(), header.slice(space + 1).trim()];
}

const badCredentials = (why: string) =>
  unauthorized(
    'unable to authenticate with provided credentials and anonymous access is not allowed for this request',
    { additional_unsuccessful_credentials: why },
  );

/** Keys cannot be made here, so that none is known. */
const noSuchKey = (value: string) =>
  badCredentials(`API key: unable to find apikey with id ${Buffer.from(value, 'base64').toString().split(':')[0]}`);

function basic(
  value: string,
  state: ClusterState | undefined,
  settings: SecuritySettings,
  uri: string,
  secured: boolean,
): Principal {
  const odd = /[^A-Za-z0-9+/=]/.exec(value);
  if (odd !== null)
    throw unauthorized(
      'invalid basic authentication header encoding',
      {},
      { type: 'illegal_argument_exception', reason: `Illegal base64 character ${odd[0].charCodeAt(0).toString(16)}` },
    );
  const text = Buffer.from(value, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw unauthorized('invalid basic authentication header value');
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)];
  const inFile = settings.fileUsers?.get(username);
  if (inFile !== undefined && inFile.password === password) return fileUser(username, inFile.roles, state, settings);
  const user = lookUp(username, state, settings);
  if (!secured || user === undefined || !isPassword(username, password, state, settings))
    throw unauthorized(`unable to authenticate user [${username}] for REST request [${uri}]`);
  return user;
}

/** A user of the file realm needs no index, so it can log in while the security index is away. */
const fileUser = (
  username: string,
  roles: readonly string[],
  state: ClusterState | undefined,
  settings: SecuritySettings,
): Principal => ({
  username,
  ...rolesAt(roles, 'realm', state, settings),
  fullName: null,
  email: null,
  metadata: {},
  realm: { name: 'default_file', type: 'file' },
  kind: 'realm',
});

function isPassword(
  username: string,
  password: string,
  state: ClusterState | undefined,
  settings: SecuritySettings,
): boolean {
  const security = state === undefined ? undefined : securityState(state);
  const native = security?.users.get(username);
  if (native !== undefined) return native.enabled && matches(password, native.password);
  const changed = security?.reservedPasswords.get(username);
  if (changed !== undefined) return matches(password, changed);
  return (
    username === 'elastic' &&
    settings.bootstrapPassword !== undefined &&
    password !== '' &&
    password === settings.bootstrapPassword
  );
}

/** A user by name, without a password. */
export function lookUp(
  username: string,
  state: ClusterState | undefined,
  settings: SecuritySettings,
): Principal | undefined {
  const native = state === undefined ? undefined : securityState(state).users.get(username);
  const reserved = reservedUsers[username];
  if (native === undefined && reserved === undefined) return undefined;
  const realm =
    native === undefined ? { name: 'reserved', type: 'reserved' } : { name: 'default_native', type: 'native' };
  return {
    username,
    ...rolesAt(native?.roles ?? reserved!.roles, 'realm', state, settings),
    fullName: native?.fullName ?? null,
    email: native?.email ?? null,
    metadata: native?.metadata ?? reserved!.metadata,
    realm,
    kind: 'realm',
  };
}

type NativeRoles = ReadonlyMap<string, RoleDescriptor> | undefined;
type ResolvedRoles = Required<Pick<Principal, 'roles' | 'ownRoles' | 'unknownRoles' | 'permissions'>>;

type ByList = WeakMap<readonly string[], { readonly native: NativeRoles; readonly found: ResolvedRoles }>;

/** By node and list of roles: a few users ask over and over. */
const resolved = new WeakMap<NodeSecurity, ByList>();

/** Resolves names of roles at a node. Users have the roles of anonymous access beside their own. */
export function rolesAt(
  ownRoles: readonly string[],
  kind: Principal['kind'],
  state: ClusterState | undefined,
  settings: NodeSecurity,
): ResolvedRoles {
  const native = state === undefined ? undefined : securityState(state).roles;
  const atNode: ByList = resolved.get(settings) ?? new WeakMap();
  resolved.set(settings, atNode);
  const known = atNode.get(ownRoles);
  if (known !== undefined && known.native === native) return known.found;
  const roles = kind === 'anonymous' ? ownRoles : [...ownRoles, ...(settings.anonymous?.roles ?? [])];
  const found = {
    ownRoles,
    roles,
    unknownRoles: roles.filter((role) => resolveRoles([role], native, settings).length === 0),
    permissions: resolveRoles(roles, native, settings),
  };
  atNode.set(ownRoles, { native, found });
  return found;
}

const resolveRoles = (names: readonly string[], native: NativeRoles, settings: NodeSecurity): RoleDescriptor[] =>
  names.flatMap((name) => settings.roles?.[name] ?? native?.get(name) ?? reservedRoles[name] ?? []);

function anonymousUser(state: ClusterState | undefined, settings: SecuritySettings): Principal | undefined {
  const { anonymous } = settings;
  if (anonymous === undefined || anonymous.roles.length === 0) return undefined;
  const realm = { name: '__anonymous', type: '__anonymous' };
  return {
    username: anonymous.username ?? '_anonymous',
    ...rolesAt(anonymous.roles, 'anonymous', state, settings),
    fullName: null,
    email: null,
    metadata: { _reserved: true },
    realm,
    kind: 'anonymous',
  };
}

/** The first bytes of a service account's token, before base64. */
export const serviceTokenPrefix = Buffer.from([0, 1, 0, 1]);

/** The only modelled account; its privileges are those of the role `kibana_system` ("Service accounts"). */
export const kibanaAccount = 'elastic/kibana';

function serviceAccount(value: string, state: ClusterState | undefined): Principal {
  const bytes = Buffer.from(value, 'base64');
  const isToken = bytes.subarray(0, serviceTokenPrefix.length).equals(serviceTokenPrefix);
  if (!isToken) throw badCredentials('oauth2 token: invalid token');
  const [id, secret = ''] = bytes.subarray(serviceTokenPrefix.length).toString().split(':') as [string, string?];
  const known = state === undefined ? undefined : securityState(state).serviceTokens.get(id);
  if (known === undefined || !matches(secret, known))
    throw unauthorized(
      `failed to authenticate service account [${kibanaAccount}] with token name [${id.split('/')[2]}]`,
    );
  return {
    username: kibanaAccount,
    roles: [],
    permissions: [reservedRoles.kibana_system!],
    fullName: 'Service account - elastic/kibana',
    email: null,
    metadata: { _elastic_service_account: true },
    realm: { name: '_service_account', type: '_service_account' },
    kind: 'realm',
  };
}

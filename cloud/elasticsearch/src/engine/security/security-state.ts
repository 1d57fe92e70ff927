import { createHash } from 'node:crypto';
import type { ClusterState } from '../state/cluster-state.ts';
import type { RoleDescriptor } from './roles.ts';

/** A password as it is kept: never itself. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

export interface NativeUser {
  readonly username: string;
  readonly password: PasswordHash;
  readonly roles: readonly string[];
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
}

/** The contents of the security index. */
export interface SecurityState {
  readonly users: ReadonlyMap<string, NativeUser>;
  readonly reservedPasswords: ReadonlyMap<string, PasswordHash>;
  readonly roles: ReadonlyMap<string, RoleDescriptor>;
  /** Tokens of service accounts, by `<account>/<name>`. */
  readonly serviceTokens: ReadonlyMap<string, PasswordHash>;
}

const empty: SecurityState = {
  users: new Map(),
  reservedPasswords: new Map(),
  roles: new Map(),
  serviceTokens: new Map(),
};

export const securityState = (state: ClusterState): SecurityState =>
  (state.customs.security as SecurityState | undefined) ?? empty;

export function withSecurity(state: ClusterState, change: Partial<SecurityState>): ClusterState {
  return { ...state, customs: { ...state.customs, security: { ...securityState(state), ...change } } };
}

/** One round of a plain hash: the passwords of an embedded cluster protect nothing. */
export function hashPassword(password: string, salt: string): PasswordHash {
  return { salt, hash: createHash('sha256').update(salt).update(password).digest('base64') };
}

const proven = new WeakMap<PasswordHash, string>();

/** Clients send the same password with every request: it is hashed once. */
export function matches(password: string, known: PasswordHash): boolean {
  if (proven.get(known) === password) return true;
  const right = hashPassword(password, known.salt).hash === known.hash;
  if (right) proven.set(known, password);
  return right;
}

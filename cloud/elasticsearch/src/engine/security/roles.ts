import builtIn from './built-in.json' with { type: 'json' };

/** The permissions of a role, in the words of the create role API. */
export interface RoleDescriptor {
  readonly cluster?: readonly string[];
  readonly indices?: readonly IndexGrant[];
  readonly run_as?: readonly string[];
  readonly applications?: readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

export interface IndexGrant {
  readonly names: readonly string[] | string;
  readonly privileges: readonly string[];
  readonly allow_restricted_indices?: boolean;
}

export interface ReservedUser {
  readonly roles: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Built-in roles ("Built-in roles"), as far as their privileges concern what is modelled. */
export const reservedRoles: Readonly<Record<string, RoleDescriptor>> = builtIn.roles;

/** Built-in users ("Built-in users"). All but `elastic` have no password until one is set. */
export const reservedUsers: Readonly<Record<string, ReservedUser>> = builtIn.users;

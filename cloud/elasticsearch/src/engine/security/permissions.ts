import { wildcardToRegExp } from '../values/filter-path.ts';
import { clusterPrivileges, grants, indexPrivileges } from './privileges.ts';
import type { IndexGrant, RoleDescriptor } from './roles.ts';

/** Whether roles together allow a cluster action. */
export function allowsCluster(roles: readonly RoleDescriptor[], action: string): boolean {
  return roles.some(({ cluster = [] }) => cluster.some((privilege) => grants(clusterPrivileges, privilege, action)));
}

/** Whether roles allow an index action on an index; system indices need a grant that says so. */
export function allowsIndex(roles: readonly RoleDescriptor[], action: string, index: string): boolean {
  return roles.some(({ indices = [] }) => indices.some((grant) => covers(grant, index) && grantsAction(grant, action)));
}

/** Whether there is any index at all on which roles allow an action. */
export function allowsSomewhere(roles: readonly RoleDescriptor[], action: string): boolean {
  return roles.some(({ indices = [] }) => indices.some((grant) => grantsAction(grant, action)));
}

export const isRestricted = (index: string) =>
  /^\.(security|security-\d+|security-tokens(-\d+)?|async-search|tasks|fleet.*)$/.test(index);

const grantsAction = (grant: IndexGrant, action: string) =>
  grant.privileges.some((privilege) => grants(indexPrivileges, privilege, action));

function covers(grant: IndexGrant, index: string): boolean {
  if (isRestricted(index) && grant.allow_restricted_indices !== true) return false;
  return (typeof grant.names === 'string' ? [grant.names] : grant.names).some((name) => matchesName(name, index));
}

/** `/regex/` with `~` for "not", or a wildcard. */
function matchesName(pattern: string, index: string): boolean {
  if (!(pattern.startsWith('/') && pattern.endsWith('/'))) return wildcardToRegExp(pattern).test(index);
  const body = pattern.slice(1, -1);
  const negated = body.startsWith('~');
  return new RegExp(`^(?:${negated ? body.slice(1) : body})$`).test(index) !== negated;
}

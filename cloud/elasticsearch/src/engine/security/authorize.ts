import { ElasticsearchError } from '../errors.ts';
import { type Principal, unauthorized } from './authenticate.ts';
import { allowsCluster, allowsIndex, allowsSomewhere, isRestricted } from './permissions.ts';
import { clusterPrivileges, grantedBy, indexPrivileges } from './privileges.ts';

/** All users may do this for themselves. */
const ownAction = 'cluster:admin/xpack/security/user/authenticate';

const isIndexAction = (action: string) =>
  action.startsWith('indices:') && !/^indices:admin\/(index_)?template\//.test(action);

export interface Demand {
  readonly action: string;
  /** Names, aliases and patterns that the request is about; empty for everything. */
  readonly indices: readonly string[];
  /** Set when the action is about the asking user only. */
  readonly ownUser?: boolean;
}

/** Refuses an action that the principal's roles do not grant; with `authzException` false an anonymous user gets 401 instead of 403. */
export function authorize(principal: Principal, demand: Demand, authzException: boolean): void {
  const { action } = demand;
  if (action === ownAction) return;
  if (demand.ownUser === true && principal.kind === 'realm') return;
  const refused = isIndexAction(action)
    ? refusedIndices(principal, demand)
    : allowsCluster(principal.permissions, action)
      ? undefined
      : [];
  if (refused === undefined) return;
  if (principal.kind === 'anonymous' && !authzException)
    throw unauthorized(`action [${action}] requires authentication`);
  throw new ElasticsearchError({ type: 'security_exception', reason: reasonFor(principal, action, refused) });
}

/** Whether the principal may do this to this index: what wildcards are narrowed to. */
export const maySee = (principal: Principal, action: string, index: string) =>
  allowsIndex(principal.permissions, action, index);

/** Names that are refused; undefined when nothing is. Patterns stand for what is allowed, so they need some grant only. */
function refusedIndices(principal: Principal, { action, indices }: Demand): readonly string[] | undefined {
  const named = indices.filter((name) => name !== '_all' && !name.includes('*') && !name.startsWith('-'));
  const refused = named.filter((name) => !maySee(principal, action, name));
  if (refused.length > 0) return refused;
  return allowsSomewhere(principal.permissions, action) ? undefined : [];
}

function effectiveRoles({ roles, unknownRoles = [] }: Principal): string {
  const effective = `[${roles.filter((role) => !unknownRoles.includes(role)).join(',')}]`;
  if (unknownRoles.length === 0) return effective;
  return `${effective} (assigned roles [${[...unknownRoles].sort().join(',')}] were not found)`;
}

function reasonFor(principal: Principal, action: string, indices: readonly string[]): string {
  const who = `user [${principal.username}] with effective roles ${effectiveRoles(principal)}`;
  const where =
    indices.length === 0
      ? ''
      : ` on ${indices.every(isRestricted) ? 'restricted indices' : 'indices'} [${indices.join(',')}]`;
  const [kind, table] = isIndexAction(action)
    ? (['index', indexPrivileges] as const)
    : (['cluster', clusterPrivileges] as const);
  return `action [${action}] is unauthorized for ${who}${where}, this action is granted by the ${kind} privileges [${grantedBy(table, action).join(',')}]`;
}

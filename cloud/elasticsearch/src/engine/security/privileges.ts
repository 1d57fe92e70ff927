import { wildcardToRegExp } from '../values/filter-path.ts';
import privileges from './privileges.json' with { type: 'json' };

/** Actions that a named privilege grants ("Security privileges"), narrow ones first, as refusals list them; `-` before what it does not. */
type PrivilegeTable = Readonly<Record<string, readonly string[]>>;

export const clusterPrivileges: PrivilegeTable = privileges.cluster;
export const indexPrivileges: PrivilegeTable = privileges.index;

const cache = new Map<string, boolean>();

/** Whether a privilege, named or written as an action pattern, grants an action. */
export function grants(table: PrivilegeTable, privilege: string, action: string): boolean {
  const key = `${table === clusterPrivileges ? 'c' : 'i'} ${privilege} ${action}`;
  let granted = cache.get(key);
  if (granted === undefined) {
    granted = decide(table, privilege, action);
    if (cache.size < 10_000) cache.set(key, granted);
  }
  return granted;
}

function decide(table: PrivilegeTable, privilege: string, action: string): boolean {
  const name = privilege.toLowerCase();
  const actions = Object.hasOwn(table, name) ? table[name] : undefined;
  const covers = (pattern: string) => wildcardToRegExp(pattern).test(action);
  // The name of an action is taken as the beginning of one: `…/health` grants `…/health_api` too (recorded from 8.19.21).
  if (actions === undefined) return covers(`${privilege}*`);
  const refused = actions.some((pattern) => pattern.startsWith('-') && covers(pattern.slice(1)));
  return !refused && actions.some(covers);
}

/** Names of the privileges that would grant an action, for refusals. */
export const grantedBy = (table: PrivilegeTable, action: string) =>
  Object.keys(table).filter((name) => grants(table, name, action));

export const isKnownPrivilege = (names: readonly string[], privilege: string) =>
  names.includes(privilege.toLowerCase()) || privilege.includes(':');

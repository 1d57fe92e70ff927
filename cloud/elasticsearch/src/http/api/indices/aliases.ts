import type { Document } from '@drover/formats';
import { illegalArgument } from '../../../engine/errors.ts';
import {
  readAlias,
  refuseAliasName,
  refuseIndexNames,
  refuseTwoWriters,
} from '../../../engine/indices/read-aliases.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { type AliasMetadata, changeIndex } from '../../../engine/state/index-metadata.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import type { Call } from '../../call.ts';
import { chosenIndices, namedIndices } from '../../index-expressions.ts';
import { PlainRestError, RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { aliasesBody } from './indices.ts';

const indices = (call: Call) => call.list('index');

export const aliasRoutes: readonly Endpoint[] = [
  {
    api: 'indices.get_alias',
    action: 'indices:admin/aliases/get',
    also: [
      'HEAD /_alias',
      'GET /_aliases',
      'HEAD /_aliases',
      'HEAD /_alias/{name}',
      'HEAD /{index}/_alias',
      'HEAD /{index}/_alias/{name}',
    ],
    indices,
    run: get,
  },
  {
    api: 'indices.put_alias',
    action: 'indices:admin/aliases',
    also: ['PUT /_alias/{name}', 'POST /_alias/{name}', 'PUT /{index}/_alias'],
    indices,
    run: put,
  },
  {
    api: 'indices.delete_alias',
    action: 'indices:admin/aliases',
    indices,
    run: remove,
  },
];

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = chosenIndices(call, state, { closed: true, hidden: true });
  const names = call.list('name');
  const body: Record<string, Document> = {};
  for (const index of chosen) {
    const aliases = new Map([...index.aliases].filter(([name]) => names.length === 0 || isWanted(name, names)));
    if (aliases.size > 0 || names.length === 0) body[index.name] = { aliases: aliasesBody(aliases) };
  }
  const found = new Set(chosen.flatMap(({ aliases }) => [...aliases.keys()].filter((name) => isWanted(name, names))));
  const missing = missingAliases(names, found);
  if (missing.length === 0) return { body };
  const error = `alias${missing.length > 1 ? 'es' : ''} [${missing.sort().join(',')}] missing`;
  if (Object.keys(body).length === 0) throw new PlainRestError(404, { error, status: 404 });
  return { status: 404, body: { error, status: 404, ...body } };
}

/** Later names that begin with a minus take away what earlier ones gave ("Get alias API"). */
function isWanted(alias: string, names: readonly string[]): boolean {
  return names.reduce(
    (wanted, name) => (name.startsWith('-') ? wanted && !fits(name.slice(1), alias) : wanted || fits(name, alias)),
    false,
  );
}

const fits = (pattern: string, alias: string) => pattern === '_all' || wildcardToRegExp(pattern).test(alias);
const isPattern = (name: string) => name === '_all' || name.includes('*');

/** Names without wildcards for which no alias exists. One that a later name excludes is not missing. */
function missingAliases(names: readonly string[], found: ReadonlySet<string>): string[] {
  const firstPattern = names.findIndex(isPattern) < 0 ? names.length : names.findIndex(isPattern);
  return names.filter((name, at) => {
    if (isPattern(name) || (at > firstPattern && name.startsWith('-')) || found.has(name)) return false;
    const later = names.slice(Math.max(at + 1, firstPattern));
    return !later.some((other) => other.startsWith('-') && fits(other.slice(1), name));
  });
}

async function put(call: Call): Promise<Reply> {
  const body = call.object();
  const alias = String(call.text('name') ?? body.alias ?? '');
  const names =
    call.text('index') === undefined && body.index !== undefined ? [String(body.index)] : call.list('index');
  if (names.length === 0) throw illegalArgument("[indices] can't be empty");
  if (alias === '') throw illegalArgument("[alias] can't be empty string");
  const metadata = readAlias(body);
  const { core, allocation } = await call.master();
  core.update((state) => allocation.reroute(withAlias(call, state, names, alias, metadata)));
  return changed(call);
}

const changed = (call: Call): Reply => ({
  body: { acknowledged: true, ...(call.atLeast('8.13.0') ? { errors: false } : {}) },
});

async function remove(call: Call): Promise<Reply> {
  const names = call.list('name');
  const { core } = await call.master();
  const chosen = chosenIndices(call, core.state, { closed: true, refuseAliases: true });
  const indices = new Map(core.state.indices);
  for (const index of chosen) {
    const kept = new Map([...index.aliases].filter(([alias]) => !isWanted(alias, names)));
    if (kept.size < index.aliases.size)
      indices.set(index.name, changeIndex(index, { aliases: kept, aliasesVersion: index.aliasesVersion + 1 }));
  }
  if (chosen.every((index) => indices.get(index.name) === index))
    throw new RestError(404, {
      type: 'aliases_not_found_exception',
      reason: `aliases [${names.join(',')}] missing`,
      details: { 'resource.type': 'aliases', 'resource.id': names.join(',') },
    });
  core.update((state) => ({ ...state, indices }));
  return changed(call);
}

function withAlias(
  call: Call,
  state: ClusterState,
  names: readonly string[],
  alias: string,
  metadata: AliasMetadata,
): ClusterState {
  const chosen = namedIndices(call, state, names, { closed: true, refuseAliases: true });
  refuseAliasName(alias);
  refuseIndexNames(state, [alias]);
  const indices = new Map(state.indices);
  for (const index of chosen) {
    const aliases = new Map(index.aliases).set(alias, metadata);
    indices.set(index.name, changeIndex(index, { aliases, aliasesVersion: index.aliasesVersion + 1 }));
  }
  refuseTwoWriters({ ...state, indices }, [alias]);
  return { ...state, indices };
}

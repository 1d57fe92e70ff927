import type { Document, Value } from '@drover/formats';
import { type ElasticsearchError, fullFailure, illegalArgument } from '../../../engine/errors.ts';
import { resolveIndices } from '../../../engine/indices/index-expressions.ts';
import { readAlias } from '../../../engine/indices/read-aliases.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { type AliasMetadata, changeIndex, type IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { expressionOptions } from '../../index-expressions.ts';
import { PlainRestError, RestError, statusOf } from '../../responses/rest-error.ts';
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
    also: ['PUT /_alias/{name}', 'POST /_alias/{name}'],
    indices,
    run: put,
  },
  {
    api: 'indices.update_aliases',
    action: 'indices:admin/aliases',
    run: update,
  },
];

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = resolveIndices(
    state,
    call.list('index'),
    expressionOptions(call, { closed: true, hidden: true }),
    call.now,
  );
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

/** Names that were asked for as such and are not there. One that is excluded afterwards is not missed. */
function missingAliases(names: readonly string[], found: ReadonlySet<string>): string[] {
  const firstPattern = names.findIndex(isPattern) < 0 ? names.length : names.findIndex(isPattern);
  return names.filter((name, at) => {
    if (isPattern(name) || (at > firstPattern && name.startsWith('-')) || found.has(name)) return false;
    const later = names.slice(Math.max(at + 1, firstPattern));
    return !later.some((other) => other.startsWith('-') && fits(other.slice(1), name));
  });
}

type Action =
  | {
      readonly kind: 'add';
      readonly indices: readonly string[];
      readonly alias: string;
      readonly metadata: AliasMetadata;
    }
  | {
      readonly kind: 'remove';
      readonly indices: readonly string[];
      readonly alias: string;
      readonly mustExist: boolean;
    }
  | { readonly kind: 'remove_index'; readonly indices: readonly string[] };

async function put(call: Call): Promise<Reply> {
  const body = call.object();
  return apply(call, [
    {
      kind: 'add',
      indices: call.list('index'),
      alias: String(call.text('name') ?? body.alias),
      metadata: readAlias(body),
    },
  ]);
}

async function update(call: Call): Promise<Reply> {
  const { actions } = call.object();
  if (!Array.isArray(actions) || actions.length === 0) throw illegalArgument('No action specified');
  return apply(call, (actions as readonly Value[]).flatMap(readAction));
}

function readAction(action: Value): Action[] {
  if (!isDocument(action)) throw illegalArgument('[alias_action] malformed');
  const [kind] = Object.keys(action) as [string];
  const body = action[kind];
  if (!isDocument(body)) throw illegalArgument(`[alias_action] malformed ${kind}`);
  const names = listOf(body.indices ?? body.index);
  if (names.length === 0) throw illegalArgument('One of [index] or [indices] is required');
  if (kind === 'remove_index') return [{ kind, indices: names }];
  const aliases = listOf(body.aliases ?? body.alias);
  if (kind === 'add') return aliases.map((alias) => ({ kind, indices: names, alias, metadata: readAlias(body) }));
  if (kind === 'remove')
    return aliases.map((alias) => ({ kind, indices: names, alias, mustExist: body.must_exist !== false }));
  throw illegalArgument(`[alias_action] unknown field [${kind}]`);
}

const listOf = (value: Value) =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : String(value).split(',');

async function apply(call: Call, actions: readonly Action[]): Promise<Reply> {
  const { core, allocation } = await call.master();
  const results: Document[] = [];
  let errors = false;
  core.update((state) => {
    let next = state;
    // Indices go first, so that an alias can take the place of one.
    const ordered = [...actions].sort((a, b) => Number(b.kind === 'remove_index') - Number(a.kind === 'remove_index'));
    for (const action of ordered) {
      const done = applyAction(call, next, state, action, actions.length === 1);
      next = done.state;
      errors ||= done.error !== undefined;
      results.push(resultBody(action, done.error));
    }
    return allocation.reroute(next);
  });
  if (!call.atLeast('8.13.0')) return { body: { acknowledged: true } };
  return { body: { acknowledged: true, errors, ...(errors ? { action_results: results } : {}) } };
}

/** What an alias must already be is looked up in the state before all of the actions. */
function applyAction(
  call: Call,
  state: ClusterState,
  before: ClusterState,
  action: Action,
  alone: boolean,
): { state: ClusterState; error?: ElasticsearchError } {
  const chosen = resolveIndices(
    state,
    action.indices,
    expressionOptions(call, { closed: true, refuseAliases: action.kind !== 'remove' }),
    call.now,
  );
  if (action.kind === 'remove_index') {
    const gone = new Set(chosen.map(({ name }) => name));
    const keep = <V>(map: ReadonlyMap<string, V>) => new Map([...map].filter(([name]) => !gone.has(name)));
    return { state: { ...state, indices: keep(state.indices), routing: keep(state.routing) } };
  }
  if (action.kind === 'add') {
    if (state.indices.has(action.alias))
      throw new RestError(400, {
        type: 'invalid_alias_name_exception',
        reason: `Invalid alias name [${action.alias}]: an index or data stream exists with the same name as the alias`,
      });
    return {
      state: chosen.reduce(
        (now, index) => changeAliases(now, index, (aliases) => aliases.set(action.alias, action.metadata)),
        state,
      ),
    };
  }
  const holders = chosen.filter((index) =>
    [...(before.indices.get(index.name)?.aliases.keys() ?? [])].some((name) => fits(action.alias, name)),
  );
  if (holders.length === 0 && action.mustExist) {
    const error = new RestError(404, {
      type: 'aliases_not_found_exception',
      reason: `aliases [${action.alias}] missing`,
      details: { 'resource.type': 'aliases', 'resource.id': action.alias },
    });
    if (alone) throw error;
    return { state, error };
  }
  const drop = (aliases: Map<string, AliasMetadata>) => {
    for (const name of [...aliases.keys()]) if (fits(action.alias, name)) aliases.delete(name);
  };
  return { state: holders.reduce((now, index) => changeAliases(now, index, drop), state) };
}

function changeAliases(
  state: ClusterState,
  { name }: IndexMetadata,
  change: (aliases: Map<string, AliasMetadata>) => void,
): ClusterState {
  const index = state.indices.get(name)!;
  const aliases = new Map(index.aliases);
  change(aliases);
  return {
    ...state,
    indices: new Map(state.indices).set(
      name,
      changeIndex(index, { aliases, aliasesVersion: index.aliasesVersion + 1 }),
    ),
  };
}

function resultBody(action: Action, error: ElasticsearchError | undefined): Document {
  const what = {
    type: action.kind,
    indices: action.indices,
    ...(action.kind === 'remove_index' ? {} : { aliases: [action.alias] }),
  };
  return error === undefined
    ? { action: what, status: 200 }
    : { action: what, status: statusOf(error), error: fullFailure(error.failure) };
}

import type { Document, Value } from '@drover/formats';
import { routingShardsFor } from '../../../engine/documents/routing-hash.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import { refuseByIndices, refuseNewIndex } from '../../../engine/indices/blocks.ts';
import { activeShardCount, createIndex, readIndexRequest } from '../../../engine/indices/create-index.ts';
import { resolveIndices } from '../../../engine/indices/index-expressions.ts';
import { defaultIndexSettings } from '../../../engine/indices/index-settings.ts';
import { enoughActive } from '../../../engine/state/cluster-state.ts';
import { streamOf, withoutIndex } from '../../../engine/state/data-stream.ts';
import {
  type AliasMetadata,
  creationDate,
  type IndexMetadata,
  indexSetting,
  numberOfReplicas,
} from '../../../engine/state/index-metadata.ts';
import { indexVersionText } from '../../../engine/state/versions.ts';
import { resolveDateMath } from '../../../engine/values/date-math.ts';
import { nestSettings } from '../../../engine/values/flat-settings.ts';
import { isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { chosenIndices, expressionOptions, refuseWildcards } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

const indices = (call: Call) => call.list('index');

export const indexRoutes: readonly Endpoint[] = [
  {
    api: 'indices.create',
    action: 'indices:admin/create',
    params: ['include_type_name'],
    indices,
    run: create,
  },
  {
    api: 'indices.delete',
    action: 'indices:admin/delete',
    also: ['DELETE /'],
    indices,
    run: remove,
  },
  {
    api: 'indices.get',
    action: 'indices:admin/get',
    also: ['HEAD /{index}'],
    params: ['include_type_name'],
    indices,
    run: get,
  },
];

async function create(call: Call): Promise<Reply> {
  const given = call.text('index')!;
  const name = given.startsWith('<') && given.endsWith('>') ? resolveDateMath(given, call.now) : given;
  if (name.includes('*') && call.cluster.security !== undefined)
    throw illegalArgument(
      `the action indices:admin/create does not support wildcards; the provided index expression(s) [${name}] are not allowed`,
    );
  const request = readIndexRequest(name, call.object(), includeTypeName(call), call.major);
  const services = await call.master();
  const { core, allocation } = services;
  refuseNewIndex(core.state, name);
  let needed = 1;
  core.update((state) => {
    const created = createIndex(state, request, {
      nowMs: call.now,
      uuid: core.newId(),
      version: call.version,
      settings: core.settings,
      warn: (text) => call.warnings.push(text),
    });
    const index = created.indices.get(name)!;
    const copies = numberOfReplicas(index) + 1;
    const text = call.text('wait_for_active_shards') ?? indexSetting(index, 'index.write.wait_for_active_shards');
    needed = activeShardCount(text, copies);
    if (needed > copies)
      throw illegalArgument(
        `invalid wait_for_active_shards[${text}]: cannot be greater than number of shard copies [${copies}]`,
      );
    return allocation.reroute(created);
  });
  const active = await core.waitUntil(() => enoughActive(core.state, name, needed), call.timeMs('timeout', 30_000));
  return { body: { acknowledged: true, shards_acknowledged: active, index: name } };
}

export const includeTypeName = (call: Call) => call.major < 8 && call.flag('include_type_name');

async function remove(call: Call): Promise<Reply> {
  const services = await call.master();
  const { core, allocation } = services;
  const names = call.list('index');
  const options = expressionOptions(call, { closed: true, hidden: true, refuseAliases: true });
  refuseWildcards(call, core.settings);
  const chosen = resolveIndices(core.state, names, options, call.now);
  services.snapshots.refuseBusy(chosen, 'delete');
  for (const { name } of chosen) {
    const stream = streamOf(core.state, name);
    if (stream?.indices.at(-1) === name)
      throw illegalArgument(
        `index [${name}] is the write index for data stream [${stream.name}] and cannot be deleted`,
      );
  }
  refuseByIndices(core.state, 'metadata_write', chosen, call.version, true);
  core.update((state) => allocation.reroute(chosen.reduce((now, index) => withoutIndex(now, index, call.now), state)));
  return { body: { acknowledged: true } };
}

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const names = call.list('index');
  const chosen = chosenIndices(call, state, { closed: true });
  if (call.method === 'HEAD') {
    if (chosen.length === 0 && names.length > 0 && !call.flag('allow_no_indices', true))
      return { status: 404, body: {} };
    return { body: {} };
  }
  return { body: Object.fromEntries(chosen.map((index) => [index.name, indexBody(call, index)])) };
}

function indexBody(call: Call, index: IndexMetadata): Document {
  return {
    aliases: aliasesBody(index.aliases),
    mappings: mappingsBody(call, index),
    settings: settingsBody(call, index),
    ...(call.flag('include_defaults') ? { defaults: defaultsBody(call, index) } : {}),
  };
}

export function aliasesBody(aliases: ReadonlyMap<string, AliasMetadata>): Document {
  return Object.fromEntries([...aliases].map(([name, alias]) => [name, { ...alias }]));
}

/** With `include_type_name` the mapping stands below its type, as 7.x shows it. */
export function mappingsBody(call: Call, index: IndexMetadata): Value {
  const empty = Object.keys(index.mappings).length === 0;
  if (!includeTypeName(call)) return index.mappings;
  return empty && index.mappingType === '_doc' ? {} : { [index.mappingType]: index.mappings };
}

export function settingsBody(call: Call, index: IndexMetadata, only: (key: string) => boolean = () => true): Document {
  const shown: Record<string, Value> = {};
  const human = call.human && call.text('name') === undefined;
  if (human) shown['index.creation_date_string'] = isoTime(creationDate(index));
  for (const [key, value] of Object.entries(index.settings)) {
    if (human && key === 'index.version.created')
      shown['index.version.created_string'] = indexVersionText(call.version);
    if (only(key)) shown[key] = value as Value;
  }
  if (call.flag('flat_settings')) return Object.fromEntries(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
  return nestSettings(shown);
}

export function defaultsBody(call: Call, index: IndexMetadata, only: (key: string) => boolean = () => true): Document {
  const missing = Object.entries(defaultIndexSettings).filter(
    ([key]) => index.settings[key] === undefined && only(key),
  );
  const own = {
    'index.number_of_routing_shards': String(routingShardsFor(index.inSync.length)),
    ...(call.atLeast('8.11.0')
      ? { 'index.version.compatibility': String(index.settings['index.version.created']) }
      : {}),
  };
  const flat = {
    ...(Object.fromEntries(missing) as Record<string, Value>),
    ...Object.fromEntries(Object.entries(own).filter(([key]) => only(key))),
  };
  return call.flag('flat_settings') ? flat : nestSettings(flat);
}

import type { Document } from '@drover/formats';
import { withReplicas } from '../../../engine/allocation/replica-counts.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import type { SettingValue } from '../../../engine/coordination/settings.ts';
import { type ElasticsearchError, illegalArgument, parseError, validationFailed } from '../../../engine/errors.ts';
import { refuseByCluster, refuseByIndices } from '../../../engine/indices/blocks.ts';
import { refuseTooManyShards } from '../../../engine/indices/create-index.ts';
import {
  isFinal,
  isStatic,
  normalizeIndexSettings,
  refuseIndexSettings,
} from '../../../engine/indices/index-settings.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import {
  changeIndex,
  type IndexMetadata,
  numberOfReplicas,
  numberOfShards,
} from '../../../engine/state/index-metadata.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { flattenSettings } from '../../../engine/values/flat-settings.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { defaultsBody, settingsBody } from './indices.ts';

const indices = (call: Call) => call.list('index');

export const indexSettingsRoutes: readonly Endpoint[] = [
  {
    api: 'indices.get_settings',
    action: 'indices:monitor/settings/get',
    also: ['GET /{index}/_setting/{name}'],
    indices,
    run: get,
  },
  {
    api: 'indices.put_settings',
    action: 'indices:admin/settings/update',
    indices,
    run: put,
  },
];

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = chosenIndices(call, state, { closed: true });
  const names = call.list('name');
  const only =
    names.length === 0 || names.includes('_all')
      ? () => true
      : (key: string) => names.some((name) => wildcardToRegExp(name).test(key));
  const body: Record<string, Document> = {};
  for (const index of chosen) {
    const settings = settingsBody(call, index, only);
    if (Object.keys(settings).length === 0) continue;
    body[index.name] = {
      settings,
      ...(call.flag('include_defaults') ? { defaults: defaultsBody(call, index, only) } : {}),
    };
  }
  return { body };
}

async function put(call: Call): Promise<Reply> {
  if (!isDocument(call.body)) throw parseError('request body is required');
  const body = isDocument(call.body.settings) ? call.body.settings : call.body;
  const wanted = normalizeIndexSettings(flattenSettings(body));
  if (Object.keys(wanted).length === 0) throw validationFailed(['no settings to update']);
  const services = await call.master();
  const chosen = chosenIndices(call, services.core.state, { closed: true });
  refuseByCluster(services.core.state, 'metadata_write');
  if (!liftsBlock(Object.keys(wanted))) refuseByIndices(services.core.state, 'metadata_write', chosen, call.version);
  const refusal = refuseIndexSettings(wanted) ?? refuseStatic(call, chosen, wanted);
  if (refusal !== undefined) throw refusal;
  const { core } = services;
  refuseTooManyShards(core.state, addedShards(chosen, wanted), core.settings, call.version);
  apply(call, services, chosen, wanted);
  return { body: { acknowledged: true } };
}

function refuseStatic(
  call: Call,
  chosen: readonly IndexMetadata[],
  wanted: Readonly<Record<string, SettingValue | null>>,
): ElasticsearchError | undefined {
  const fixed = Object.keys(wanted).filter(isStatic);
  const open = chosen.filter((index) => index.state === 'open');
  if (fixed.length > 0 && open.length > 0 && !call.flag('reopen')) {
    const names = open.map((index) => `[${index.name}/${index.uuid}]`).join(', ');
    const hint =
      call.major >= 8
        ? ' unless the `reopen` query parameter is set to true. Alternatively, close the indices, apply the settings changes, and reopen the indices'
        : '';
    return illegalArgument(
      `Can't update non dynamic settings [[${fixed.join(', ')}]] for open indices [${names}]${hint}`,
    );
  }
  const final = Object.keys(wanted).find(isFinal);
  return final === undefined
    ? undefined
    : illegalArgument(`final ${chosen[0]?.name ?? ''} setting [${final}], not updateable`);
}

/** Otherwise no block could be lifted. The block of metadata must be lifted alone, the others may come with other changes. */
const liftsBlock = (keys: readonly string[]) =>
  (keys.length === 1 && keys[0] === 'index.blocks.metadata') ||
  keys.includes('index.blocks.read_only') ||
  keys.includes('index.blocks.read_only_allow_delete');

/** How many shards a change of the number of replicas brings. */
function addedShards(
  chosen: readonly IndexMetadata[],
  { 'index.number_of_replicas': replicas = null }: Readonly<Record<string, SettingValue | null>>,
): number {
  const open = chosen.filter((index) => index.state === 'open' && replicas !== null);
  return open.reduce((sum, index) => sum + (Number(replicas) - numberOfReplicas(index)) * numberOfShards(index), 0);
}

function apply(
  call: Call,
  { core, allocation }: MasterServices,
  chosen: readonly IndexMetadata[],
  wanted: Readonly<Record<string, SettingValue | null>>,
): void {
  const preserve = call.flag('preserve_existing');
  core.update((state) =>
    allocation.reroute(chosen.reduce((now, index) => applyTo(now, index.name, wanted, preserve, call.now), state)),
  );
}

function applyTo(
  state: ClusterState,
  name: string,
  wanted: Readonly<Record<string, SettingValue | null>>,
  preserve: boolean,
  nowMs: number,
): ClusterState {
  const index = state.indices.get(name)!;
  const settings: Record<string, SettingValue> = { ...index.settings };
  for (const [key, value] of Object.entries(wanted)) {
    if (preserve && settings[key] !== undefined) continue;
    if (value === null) {
      for (const known of Object.keys(settings)) if (wildcardToRegExp(key).test(known)) delete settings[known];
    } else settings[key] = value;
  }
  settings['index.number_of_replicas'] ??= '1';
  const replicas = Number(settings['index.number_of_replicas']);
  settings['index.number_of_replicas'] = String(numberOfReplicas(index));
  const changed = changeIndex(index, { settings, settingsVersion: index.settingsVersion + 1 });
  const next = { ...state, indices: new Map(state.indices).set(name, changed) };
  return replicas === numberOfReplicas(index) ? next : withReplicas(next, name, replicas, nowMs);
}

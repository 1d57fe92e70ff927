import type { Document } from '@drover/formats';
import { illegalArgument, parseError, resourceNotFound } from '../../../engine/errors.ts';
import { type ClusterState, withEntry } from '../../../engine/state/cluster-state.ts';
import { dataStreams } from '../../../engine/state/data-stream.ts';
import { type IlmPolicy, ilmState, withIlm } from '../../../engine/state/ilm-state.ts';
import { indexSetting } from '../../../engine/state/index-metadata.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { isoTime } from '../../../engine/values/units.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

/** Index lifecycle policies: stored, reported, taken into snapshots. No phase is carried out. */
export const lifecycleRoutes: readonly Endpoint[] = [
  { api: 'ilm.put_lifecycle', action: 'cluster:admin/ilm/put', run: put },
  { api: 'ilm.delete_lifecycle', action: 'cluster:admin/ilm/delete', run: remove },
  { api: 'ilm.get_lifecycle', action: 'cluster:admin/ilm/get', run: get },
  {
    api: 'ilm.get_status',
    action: 'cluster:admin/ilm/operation_mode/get',
    run: async (call) => ({ body: { operation_mode: ilmState((await call.master()).core.state).mode } }),
  },
  {
    api: 'ilm.explain_lifecycle',
    action: 'indices:admin/ilm/explain',
    indices: (call) => call.list('index'),
    run: explain,
  },
  { api: 'ilm.start', action: 'cluster:admin/ilm/start', run: (call) => setMode(call, 'RUNNING') },
  { api: 'ilm.stop', action: 'cluster:admin/ilm/stop', run: (call) => setMode(call, 'STOPPED') },
];

const missing = (name: string) => resourceNotFound(`Lifecycle policy not found: ${name}`);

async function put(call: Call): Promise<Reply> {
  const { policy } = call.object();
  if (!isDocument(policy)) throw parseError('Required [policy]');
  const { core } = await call.master();
  const name = call.text('policy')!;
  core.update((state) => {
    const before = ilmState(state).policies.get(name);
    const entry: IlmPolicy = { version: (before?.version ?? 0) + 1, modifiedMs: call.now, policy };
    return withIlm(state, { policies: withEntry(ilmState(state).policies, name, entry) });
  });
  return { body: { acknowledged: true } };
}

async function remove(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const name = call.text('policy')!;
  const { policies } = ilmState(core.state);
  if (!policies.has(name)) throw missing(name);
  const users = [...core.state.indices.values()].filter(
    (index) => indexSetting(index, 'index.lifecycle.name') === name,
  );
  if (users.length > 0)
    throw illegalArgument(
      `Cannot delete policy [${name}]. It is in use by one or more indices: [${users.map((index) => index.name).join(', ')}]`,
    );
  core.update((state) => withIlm(state, { policies: new Map([...policies].filter(([id]) => id !== name)) }));
  return { body: { acknowledged: true } };
}

async function get(call: Call): Promise<Reply> {
  const { state } = (await call.master()).core;
  const { policies } = ilmState(state);
  const name = call.text('policy');
  if (name !== undefined && !name.includes('*') && !policies.has(name)) throw missing(name);
  const chosen = [...policies].filter(([id]) => name === undefined || wildcardToRegExp(name).test(id));
  return { body: Object.fromEntries(chosen.map(([id, entry]) => [id, policyBody(state, id, entry)])) };
}

function policyBody(state: ClusterState, id: string, { version, modifiedMs, policy }: IlmPolicy): Document {
  const users = [...state.indices.values()].filter((index) => indexSetting(index, 'index.lifecycle.name') === id);
  const names = new Set(users.map(({ name }) => name));
  const streams = [...dataStreams(state).values()].filter(({ indices }) => indices.some((name) => names.has(name)));
  return {
    version,
    modified_date: isoTime(modifiedMs),
    policy,
    in_use_by: {
      indices: [...names],
      data_streams: streams.map(({ name }) => name),
      composable_templates: [],
    },
  };
}

async function setMode(call: Call, mode: 'RUNNING' | 'STOPPED'): Promise<Reply> {
  const { core } = await call.master();
  core.update((state) => withIlm(state, { mode }));
  return { body: { acknowledged: true } };
}

/** No policy is carried out: an exporter that asks learns that no index is managed. */
async function explain(call: Call): Promise<Reply> {
  const chosen = chosenIndices(call, await call.state(), { closed: true });
  const only = call.flag('only_managed') || call.flag('only_errors');
  const rows = only ? [] : chosen.map(({ name }) => [name, { index: name, managed: false }] as const);
  return { body: { indices: Object.fromEntries(rows) } };
}

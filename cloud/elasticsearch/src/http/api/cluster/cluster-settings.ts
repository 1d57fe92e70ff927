import type { Document, Value } from '@drover/formats';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { defaultSettings, type FlatSettings, SettingsView } from '../../../engine/coordination/settings.ts';
import { changeSettings, refuseWatermarks } from '../../../engine/coordination/update-settings.ts';
import { parseError, validationFailed } from '../../../engine/errors.ts';
import { refuseByCluster } from '../../../engine/indices/blocks.ts';
import { flattenSettings, nestSettings } from '../../../engine/values/flat-settings.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { nodeConfig } from '../nodes/node-config.ts';

export const clusterSettingsRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.get_settings',
    action: 'cluster:monitor/settings',
    run: get,
  },
  {
    api: 'cluster.put_settings',
    action: 'cluster:admin/settings/update',
    run: put,
  },
];

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const defaults = call.flag('include_defaults')
    ? { defaults: show(call, defaultsOf(call, state.persistent, state.transient)) }
    : {};
  return { body: { persistent: show(call, state.persistent), transient: show(call, state.transient), ...defaults } };
}

interface Defaults {
  readonly config: string;
  readonly persistent: FlatSettings;
  readonly transient: FlatSettings;
  readonly shown: FlatSettings;
}

/** By node: commands ask all day long, and hundreds of settings are sorted. */
const known = new WeakMap<SearchNode, Defaults>();

/** Everything that neither layer sets: the node's configuration file, then the built-in defaults. */
function defaultsOf(call: Call, persistent: FlatSettings, transient: FlatSettings): FlatSettings {
  const own = { ...call.cluster.options.settings, ...nodeConfig(call.cluster, call.node) };
  const config = JSON.stringify(own);
  const before = known.get(call.node);
  if (before?.config === config && before.persistent === persistent && before.transient === transient)
    return before.shown;
  const all: FlatSettings = { ...defaultSettings, ...own };
  const left = Object.keys(all).filter((key) => persistent[key] === undefined && transient[key] === undefined);
  const shown = Object.fromEntries(left.sort().map((key) => [key, all[key]!]));
  known.set(call.node, { config, persistent, transient, shown });
  return shown;
}

function show(call: Call, settings: FlatSettings): Document {
  return call.flag('flat_settings')
    ? (settings as Record<string, Value>)
    : nestSettings(settings as Record<string, Value>);
}

async function put(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  const persistent = flattenSettings(isDocument(body.persistent) ? body.persistent : {});
  const transient = flattenSettings(isDocument(body.transient) ? body.transient : {});
  if (Object.keys(persistent).length + Object.keys(transient).length === 0)
    throw validationFailed(['no settings to update']);
  const services = await call.master();
  const { core, allocation } = services;
  if (!liftsBlock({ ...persistent, ...transient })) refuseByCluster(core.state, 'metadata_write');
  core.update((state) => {
    const next = {
      ...state,
      persistent: changeSettings(state.persistent, persistent, 'persistent'),
      transient: changeSettings(state.transient, transient, 'transient'),
    };
    const view = new SettingsView(next, core.config);
    refuseWatermarks((key) => view.text(key), Object.keys({ ...persistent, ...transient }));
    return allocation.reroute(
      call.cluster.membership.reconfigure(next, view.boolean('cluster.auto_shrink_voting_configuration')),
    );
  });
  return {
    body: { acknowledged: true, persistent: show(call, given(persistent)), transient: show(call, given(transient)) },
  };
}

const given = (change: Readonly<Record<string, string | readonly string[] | null>>): FlatSettings =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)) as FlatSettings;

/** The one change that a blocked cluster takes. */
const liftsBlock = (settings: Document) =>
  Object.keys(settings).length === 1 && Object.keys(settings)[0]!.startsWith('cluster.blocks.read_only');

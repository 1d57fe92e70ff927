import { loadOnce } from '@drover/core/load-once';
import type { Context } from '../context.ts';
import type { CommandInput, CommandName } from '../tree/tree.ts';
import { catNodes, catSnapshots, catTable } from './cat.ts';
import { decommission, drainModule } from './cluster/decommission-node.ts';
import { clusterHealth, waitModule } from './cluster-health.ts';

/** A command: returns its exit code. */
type Run<Name extends CommandName> = (context: Context, input: CommandInput<Name>) => Promise<number>;

/**
 * Commands that are loaded when one of them is run. The others are part of the first file: they are run every few
 * minutes on each node, or are so short that loading another file would be noticed.
 */
const more = loadOnce(() => import('./more-commands.ts'));
type More = Awaited<ReturnType<typeof more>>;

const loaded =
  <Name extends CommandName>(choose: (commands: More) => Run<Name>): Run<Name> =>
  async (context, input) =>
    await choose(await more())(context, input);

const commands: { readonly [Name in CommandName]: Run<Name> } = {
  'cluster-health': clusterHealth,
  'cat shards': catTable('shards'),
  'cat nodes': catNodes,
  'cat snapshots': catSnapshots,
  'cat repositories': catTable('repositories'),
  'cat allocation': catTable('allocation'),
  'cat indices': catTable('indices'),
  'cat health': catTable('health'),
  'cluster decommission-node': decommission,
  'cluster allocation-explain': loaded(({ allocationExplain }) => allocationExplain),
  'cluster commission-node': loaded(({ commissionThisNode }) => commissionThisNode),
  'cluster reap': loaded(({ reapCluster }) => reapCluster),
  'cluster prepare-restart': loaded(({ prepareThisRestart }) => prepareThisRestart),
  'cluster finish-restart': loaded(({ finishThisRestart }) => finishThisRestart),
  'snapshots create': loaded(({ create }) => create),
  'snapshots restore': loaded(({ restore }) => restore),
  'snapshots recover-cluster': loaded(({ recover }) => recover),
  'snapshots drill': loaded(({ drillNow }) => drillNow),
  'snapshots status': loaded(({ status }) => status),
  'snapshots list': loaded(({ list }) => list),
  'snapshots create-repository': loaded(({ createRepository }) => createRepository),
  'snapshots delete-repository': loaded(({ deleteRepository }) => deleteRepository),
  'snapshots policy': loaded(({ policy }) => policy),
  'node prepare': loaded(({ prepare }) => prepare),
  'node pre-flight': loaded(({ preFlight }) => preFlight),
  'node secret': loaded(({ secret }) => secret),
  'node certificates': loaded(({ shownCertificates }) => shownCertificates),
  'node abandon': loaded(({ abandon }) => abandon),
  'node settle': loaded(({ settle }) => settle),
  'node take-software': loaded(({ takeThisSoftware }) => takeThisSoftware),
  passwd: loaded(({ passwd }) => passwd),
  api: loaded(({ api }) => api),
  completion: loaded(({ completion }) => completion),
};

/** Finds a command. The parser has read its input by the same name, so the two belong together. */
export const commandOf = (name: CommandName): Run<CommandName> => commands[name] as Run<CommandName>;

/** Loads every command. */
export async function preloadCommands(): Promise<void> {
  await Promise.all([more(), drainModule(), waitModule()]);
}

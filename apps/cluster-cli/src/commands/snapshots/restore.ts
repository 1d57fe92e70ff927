import { snapshotCatalog, snapshotRestorer } from '@drover/adapters/elasticsearch';
import { planSnapshotRestore, waitForRestore } from '@drover/search-cluster';
import type { Renaming } from '@drover/search-cluster/snapshot-ports';
import type { Context } from '../../context.ts';
import { exitCodes, UsageError } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { refused } from '../refused.ts';

type Options = CommandInput<'snapshots restore'>['options'];

/** Restores indices, data streams, features and the global state from a snapshot. */
export async function restore(context: Context, { args, options }: CommandInput<'snapshots restore'>): Promise<number> {
  const client = context.search();
  const { REPOSITORY: repository, SNAPSHOT: snapshot } = args;
  const work = { ...context.run, snapshots: snapshotCatalog(client), restorer: snapshotRestorer(client) };
  const plan = await planSnapshotRestore(work, repository, snapshot, {
    pattern: options.index,
    featureStates: (options.featureStates ?? '').split(',').filter((name) => name !== ''),
    includeGlobalState: options.includeGlobalState,
    rename: renamingOf(options),
  });
  if ('kind' in plan) return refused(context, plan);
  const { restored, featureStates, includeGlobalState } = plan;
  const print = () =>
    context.print(
      { repository, snapshot, indices: restored, feature_states: featureStates, global_state: includeGlobalState },
      () => restored.map((name) => `${name}\n`).join(''),
    );
  if (options.dryRun) {
    await print();
    return exitCodes.done;
  }
  if (!(await context.confirm(questionOf(plan, snapshot), options.yes))) return exitCodes.refused;
  await work.restorer.restore(repository, snapshot, plan);
  if (options.wait) await waitForRestore(work, plan);
  const bare = await work.restorer.withoutTemplate(plan.dataStreams);
  if (bare.length > 0)
    context.log.warn(
      `no index template matches the data streams ${bare.join(', ')}: they cannot roll over until one does`,
    );
  await print();
  return exitCodes.done;
}

function renamingOf(options: Options): Renaming | undefined {
  const { renamePrefix: prefix, renamePattern: pattern, renameReplacement: replacement } = options;
  if ((pattern === undefined) !== (replacement === undefined))
    throw new UsageError('--rename-pattern and --rename-replacement belong together');
  if (prefix !== undefined) return { pattern: '(.+)', replacement: `${prefix}$1` };
  return pattern === undefined || replacement === undefined ? undefined : { pattern, replacement };
}

function questionOf(
  plan: {
    readonly restored: readonly string[];
    readonly featureStates: readonly string[];
    includeGlobalState: boolean;
  },
  snapshot: string,
): string {
  const { restored, featureStates } = plan;
  const names = `${restored.length} indices (${restored.slice(0, 5).join(', ')}${restored.length > 5 ? ', …' : ''})`;
  const replaced = [
    ...(plan.includeGlobalState ? ['the settings, templates and policies of this cluster'] : []),
    ...featureStates.map((feature) => (feature === 'security' ? 'all users and passwords' : `the feature ${feature}`)),
  ];
  return `restore ${names} from ${snapshot}${replaced.length === 0 ? '' : ` and replace ${replaced.join(', ')}`}`;
}

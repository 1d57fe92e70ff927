import { searchRoles } from '@drover/adapters/elasticsearch';
import { hooks } from '@drover/core/names/search-cluster';
import { abandonLaunch, type Holdings } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { refused } from '../refused.ts';

/** The folder of Elasticsearch's indices ("Path settings"; Debian's package sets path.data). */
const indicesFolder = '/var/lib/elasticsearch/indices';

/** `bin/configure` has Puppet write it. */
const puppetLog = '/var/log/puppet.log';

/** Gives up the launch of this instance. */
export async function abandon(context: Context, { options }: CommandInput<'node abandon'>): Promise<number> {
  const instanceId = await context.metadata.instanceId();
  const { membership, hook, refresh, tags } = (await context.aws()).roles;
  const outcome = await abandonLaunch(
    {
      ...context.run,
      membership,
      hook,
      refresh,
      tags,
      reason: (await lastError(context)) ?? options.reason,
      process: context.io.search,
      holdings: () => holdings(context),
      indicesOnDisk: () => indicesOnDisk(context),
      onAbandoned: () => context.log.warn(`the launch was abandoned: ${options.reason}`),
    },
    instanceId,
    { launching: hooks.launching.name, terminating: hooks.terminating.name },
  );
  if (typeof outcome === 'object') return refused(context, outcome);
  if (outcome === 'not-waiting') context.log.warn(`the launch had ended before: ${options.reason}`);
  return exitCodes.done;
}

/** Puppet's own words, where it got so far: the boot script only knows that it failed. */
async function lastError({ io }: Context): Promise<string | undefined> {
  const lines = ((await io.files.read(puppetLog)) ?? '').split('\n').flatMap((line) => line.split(' (err): ')[1] ?? []);
  return lines.findLast((line) => !line.startsWith('puppet apply failed'));
}

async function holdings(context: Context): Promise<Holdings> {
  const { topology, load } = searchRoles(context.search());
  try {
    return { kind: 'shards', count: (await load.loadOf(await topology.localNodeId())).shards };
  } catch {
    return { kind: 'unknown', indicesOnDisk: await indicesOnDisk(context) };
  }
}

const indicesOnDisk = async ({ io }: Context) => (await io.files.list(indicesFolder)).length;

import { nodeSecurity } from '../../cloud/elasticsearch/test/contract/node-security.ts';
import { type LocalCluster, localCluster, type NodeShape } from './cluster.ts';
import { NoServer } from './commands.ts';
import { type Distribution, newestVersion, publishedDistribution } from './distribution.ts';
import type { PluginName } from './plugins.ts';

/** A minor; Elastic releases each of these on Maven as its test distribution. */
const wholePath = ['8.18.2', newestVersion];

/** As the product has them: masters, and nodes with data, of one tier each. Each has an address of its own, as an instance has. */
const shapes: readonly NodeShape[] = [
  ...['a', 'b', 'c'].map((zone) => ({ zone, roles: ['master'] })),
  { zone: 'a', roles: ['data_content', 'data_hot', 'ingest'] },
  { zone: 'b', roles: ['data_content', 'data_warm', 'ingest'] },
].map((shape, at) => ({ ...shape, host: `127.0.0.${at + 11}`, security: nodeSecurity(1), heap: '320m' }));

/** Those that an upgrade cannot do without are written for both majors, the others for 8.x. */
const pluginsFor = (version: string): { readonly plugins?: readonly PluginName[] } =>
  version.startsWith('8.') ? {} : { plugins: ['security-index-analysis', 'node-shutdown'] };

export interface UpgradePlan {
  readonly cluster: LocalCluster;
  /** Versions one after the other, as far as they can be had here. */
  readonly path: readonly string[];
  readonly versions: ReadonlyMap<string, Distribution>;
  /** Why the path ends earlier than it could. */
  readonly ends: string | undefined;
}

/** Five nodes of the first version, and the programs of the later ones. */
export async function upgradePlan(folder: string, wanted: readonly string[] = wholePath): Promise<UpgradePlan> {
  const versions = new Map<string, Distribution>();
  let ends: string | undefined;
  for (const version of wanted) {
    try {
      versions.set(version, await publishedDistribution(folder, { version, ...pluginsFor(version) }));
    } catch (error) {
      if (!(error instanceof NoServer) || versions.size < 2) throw error;
      ends = `${version} cannot be had here: ${error.message}`;
      break;
    }
  }
  const path = [...versions.keys()];
  return { cluster: await localCluster(versions.get(path[0]!)!, folder, shapes), path, versions, ends };
}

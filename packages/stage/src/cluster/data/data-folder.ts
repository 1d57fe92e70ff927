import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { MachineView } from '@drover/cloud-machines';

/** Below `path.data` of Debian's package, a folder for each index. */
const indicesFolder = '/var/lib/elasticsearch/indices';

/** Names in a folder of a search machine: of its files, and of the indices that its node has on its disk. */
export function namesIn(
  folder: string,
  { files, instance }: Pick<MachineView, 'files' | 'instance'>,
  nodes: ReadonlyMap<string, SearchNode>,
): readonly string[] {
  const names = [...files.keys()]
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1));
  return folder === indicesFolder ? [...names, ...(nodes.get(instance.id)?.indicesOnDisk ?? [])] : names;
}

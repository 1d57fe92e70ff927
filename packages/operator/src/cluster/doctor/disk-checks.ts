import type { NodeDisk } from '@drover/search-cluster';
import { type Outcome, ok, problem } from '../../doctor/findings.ts';
import { listed } from '../../render/short.ts';
import type { ClusterFacts } from './facts.ts';
import { nodesIn } from './node-checks.ts';
import { whenRead } from './when-read.ts';

const lowWatermarkPercent = 85;
/** Below it Elasticsearch takes a block off that it has set at the flood stage (reference, "Disk-based shard allocation"). */
const highWatermarkPercent = 90;
/** The largest volume of the input. */
const mostGiB = 16_384;

export function disks(facts: ClusterFacts): Outcome {
  return whenRead(facts.disks, (found) => {
    const limit = percentIn(facts.lowWatermark) ?? lowWatermarkPercent;
    const full = found.filter((disk) => usedPercent(disk) > limit);
    if (full.length === 0) return ok(`no disk is above ${limit} %${onRootVolumes(facts)}`);
    const grow = growCommand(facts);
    return problem(
      shown(facts, full),
      grow === undefined
        ? 'raise data_count or data_volume_size, or delete indices'
        : `${grow}, which restarts and moves nothing; or raise data_count, or delete indices`,
    );
  });
}

/** At the flood stage Elasticsearch refuses to write to every index with a copy on that disk, while the cluster is green. */
export function blockedWrites(facts: ClusterFacts): Outcome {
  return whenRead(facts.blocked, (indices) => {
    if (indices.length === 0) return ok('no index is blocked');
    const full =
      facts.disks.kind === 'read' ? facts.disks.value.filter((disk) => usedPercent(disk) > highWatermarkPercent) : [];
    const refused = `Elasticsearch refuses to write to ${listed(indices, ', ')}`;
    if (full.length === 0)
      return problem(
        `${refused}: read_only_allow_delete is set, and no disk is above ${highWatermarkPercent} %`,
        `it is taken off within a minute, unless a client has set it; then: cluster-cli api PUT /${indices[0]}/_settings -d '{"index.blocks.read_only_allow_delete":null}'`,
      );
    const grow = growCommand(facts);
    return problem(
      `${refused}: ${shown(facts, full)}`,
      `${grow === undefined ? 'delete indices, or raise data_count and deploy' : `${grow}, which restarts and moves nothing; or delete indices`}. Elasticsearch writes again as soon as the disks are below ${highWatermarkPercent} %`,
    );
  });
}

/** A choice that cannot be seen from a healthy cluster. */
const onRootVolumes = ({ volumes }: ClusterFacts) =>
  volumes.kind === 'read' && volumes.value.length === 0
    ? '; the data is on root volumes: it goes with its instance, and they cannot grow (separate_data_volume)'
    : '';

/** Half as large again; undefined where the data is on root volumes. */
function growCommand({ volumes, stack }: ClusterFacts): string | undefined {
  const sizes = volumes.kind === 'read' ? volumes.value.map(({ sizeGiB }) => sizeGiB) : [];
  const wanted = Math.min(mostGiB, Math.ceil(1.5 * Math.max(0, ...sizes)));
  return wanted === 0 ? undefined : `drover cluster grow --stack ${stack} --data-volume-size ${wanted}`;
}

const shown = (facts: ClusterFacts, full: readonly NodeDisk[]) =>
  listed(full.map((disk) => `${diskName(facts, disk)} is ${usedPercent(disk).toFixed(0)} % full`));

const usedPercent = ({ totalBytes, availableBytes }: NodeDisk) => (100 * (totalBytes - availableBytes)) / totalBytes;
const percentIn = (text: string | undefined) =>
  /^\d+(\.\d+)?%$/.test(text ?? '') ? Number.parseFloat(text!) : undefined;
const diskName = ({ topology }: ClusterFacts, { nodeId }: NodeDisk) =>
  nodesIn(topology).find(({ id }) => id === nodeId)?.name ?? nodeId;

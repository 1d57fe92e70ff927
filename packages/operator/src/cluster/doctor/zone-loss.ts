import { forecastZoneLosses, isDataNode, lowWatermark, type ZoneLoss } from '@drover/search-cluster';
import type { DiskSettings } from '@drover/search-cluster/ports';
import { type Outcome, ok, problem } from '../../doctor/findings.ts';
import { listed } from '../../render/short.ts';
import type { ClusterFacts } from './facts.ts';
import { whenAllRead } from './when-read.ts';

type ZoneFacts = Pick<ClusterFacts, 'topology' | 'shards' | 'disks' | 'allocation' | 'instances'>;

/** Whether the other zones have room for what Elasticsearch builds again there when a zone is lost. */
export function roomForLostZone({ topology, shards, disks, allocation, instances }: ZoneFacts): Outcome {
  return whenAllRead([topology, shards, disks, allocation], ([{ nodes: all }, copies, found, settings]) => {
    const zoneOf = (ip: string) => instances.find(({ privateIp }) => privateIp === ip)?.zone;
    const nodes = all.filter(isDataNode).flatMap(({ id, ip }) => {
      const zone = zoneOf(ip);
      return zone === undefined ? [] : { id, zone };
    });
    const { forcedZones } = settings;
    return judge(forecastZoneLosses({ nodes, copies, disks: found, lowWatermark: markOf(settings), forcedZones }));
  });
}

const markOf = (settings: DiskSettings) => (settings.low === undefined ? undefined : lowWatermark(settings));

function judge(losses: readonly ZoneLoss[]): Outcome {
  if (losses.length < 2) return ok('there are no data nodes in two zones: nothing is built again when one is lost');
  const short = losses.filter(({ missingBytes }) => missingBytes > 0);
  if (short.length > 0)
    return problem(
      listed(short.map((loss) => `${told(loss)}: ${gib(loss.missingBytes)} find no place`)),
      'raise data_volume_size or data_count, or delete indices; forced_awareness leaves copies of a lost zone out until it is back, where docs/sizing.md says so',
    );
  return ok(told(losses.reduce((most, loss) => (spare(loss) < spare(most) ? loss : most))));
}

const spare = ({ freeBytes, needsBytes }: ZoneLoss) => freeBytes - needsBytes;

const told = ({ zone, needsBytes, freeBytes }: ZoneLoss) =>
  `losing ${zone} needs ${gib(needsBytes)} in the other zones, ${gib(freeBytes)} are free below the low watermark`;

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

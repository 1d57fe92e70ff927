import { dataVolumes, growthNotes, nodeGrowth } from '@drover/adapters/aws';
import { watchFunction } from '@drover/core/names/search-cluster';
import {
  describeGrowth,
  forecastGrowth,
  type GrowFacts,
  type GrowOutcome,
  type GrowRun,
  growVolumes,
} from '@drover/search-cluster';
import { exitCodes } from '../exit-codes.ts';
import type { DroverIo } from '../io.ts';
import { operatorSsm } from '../operator-ssm.ts';
import { type Format, json, recordTable } from '../render/table.ts';
import { narrated } from './narrated.ts';
import { objectCalls } from './object-calls.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

export interface GrowOptions extends ClusterOptions {
  readonly dataVolumeSize: number;
  readonly dryRun: boolean;
  readonly format: Format;
}

/** Longer than a large cluster takes at a minute a node. A run that ends here is followed by the next. */
const longestMs = 6 * 3_600_000;

/** `drover cluster grow`: every data node gets a volume of this size, one after the other, while it runs. */
export async function grow(io: DroverIo, options: GrowOptions): Promise<number> {
  const cluster = await openCluster(io, options);
  const run = openRun(io, cluster);
  const { dataVolumeSize: wanted } = options;
  if (options.dryRun) return showPlan(io, options, await forecastGrowth(run, wanted));
  const end = await growVolumes(run, wanted, longestMs);
  if (end.kind === 'done') return show(io, options, cluster, end.outcome);
  io.stderr(`waiting: ${end.because}. Go on with: ${again(wanted)}\n`);
  return exitCodes.waiting;
}

const again = (wanted: number) => `drover cluster grow --data-volume-size ${wanted}`;

function openRun(io: DroverIo, { aws, nodeAws, search, instances, groups, stateBucket }: OpenCluster): GrowRun {
  const { clock, random, signal } = io;
  return {
    clock,
    random,
    ...(signal === undefined ? {} : { signal }),
    records: search.records,
    instances,
    dataGroup: groups.data,
    volumes: dataVolumes(nodeAws),
    commands: nodeGrowth(operatorSsm(aws)),
    growth: growthNotes({ s3: objectCalls(aws) }, stateBucket()),
    ...narrated(io),
  };
}

function show(
  io: DroverIo,
  { format, dataVolumeSize: wanted }: GrowOptions,
  { clusterName }: OpenCluster,
  outcome: GrowOutcome,
): number {
  const { grown, of } = outcome.progress;
  if (format === 'json') io.stdout(json({ ...outcome, dataVolumeSize: wanted }));
  else if (outcome.kind !== 'refused') io.stdout(`${grown} of ${of} data nodes have ${wanted} GiB\n`);
  if (outcome.kind === 'grown') {
    io.stderr(
      `New nodes get it by the function ${watchFunction(clusterName)}; raise data_volume_size to ${wanted} as well, so that they are launched with it\n`,
    );
    return exitCodes.done;
  }
  if (outcome.kind === 'refused') {
    const { name, reason, remedy } = outcome.refusal;
    io.stderr(`refused (${name}): ${reason}; ${remedy}\n`);
    return exitCodes.blocked;
  }
  if (outcome.kind === 'stopped') {
    io.stderr(`stopped: ${outcome.because}. No other node is begun. Once it is mended: ${again(wanted)}\n`);
    return exitCodes.blocked;
  }
  io.stderr(`blocked: ${outcome.because}. Go on later with: ${again(wanted)}\n`);
  return exitCodes.waiting;
}

/** The volumes as they are, and what would be done. */
function showPlan(io: DroverIo, { format }: GrowOptions, facts: GrowFacts): number {
  const { nodes, leastGiB, wantedGiB } = facts;
  const rows = nodes.map(({ instanceId, volume }) => ({
    instance: instanceId,
    volume: volume?.volumeId ?? 'none: its data is on the root volume',
    gib: volume?.sizeGiB,
    modification: volume?.modification?.state ?? 'never',
  }));
  const plan = describeGrowth(facts);
  if (format === 'json') io.stdout(json({ dataVolumeSize: wantedGiB, leastGiB, nodes: rows, plan }));
  else io.stdout(`${recordTable(rows, 'instance', 'volume', 'GiB', 'last modification')}${plan}\n`);
  return exitCodes.done;
}

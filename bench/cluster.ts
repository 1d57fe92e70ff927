import { ClusterStage } from '@drover/stage/testing';
import { atLeast, type Figures, informative } from './figures.ts';
import { benchRelease } from './release.ts';
import { benchRenewal } from './renewal.ts';

const hour = 3_600_000;
/** A day is measured for the week: every hour of it does the same but for the daily snapshot, which it holds. */
const measuredHours = 24;

/** The parts whose figures are asked for. */
export async function benchCluster(only: string): Promise<Figures> {
  const parts = { release: benchRelease, renewal: benchRenewal };
  const [, part] = only.split('.');
  const chosen =
    part !== undefined && part in parts ? [parts[part as keyof typeof parts]] : [benchDay, ...Object.values(parts)];
  const figures: Figures = {};
  for (const measure of chosen) Object.assign(figures, await measure());
  return figures;
}

/**
 * How much faster than real time an 8-node cluster is simulated, by CPU: deployed from its template, constant writes,
 * its snapshots, and on every node the scheduled commands, the configuration timer and the load balancer's checks.
 */
async function benchDay(): Promise<Figures> {
  const stage = await ClusterStage.open({ masterCount: 3, dataCount: 5 });
  const indices = {
    logs: { number_of_shards: 3, number_of_replicas: 1 },
    metrics: { number_of_shards: 2, number_of_replicas: 1 },
  };
  const writer = await stage.startWriting(indices, 10_000);
  await stage.pass(60);
  const before = { runs: stage.deployed.runs.length, documents: writer.count, cpu: process.cpuUsage() };
  await stage.pass(measuredHours * 60);
  const { user, system } = process.cpuUsage(before.cpu);
  const cpuMs = (user + system) / 1000;
  await refuseEmptyMeasure(stage, stage.deployed.runs.length - before.runs, writer.count - before.documents);
  return {
    'cluster.speedup': atLeast((measuredHours * hour) / cpuMs, 2_000, 'x real time'),
    'cluster.cpu_per_week': informative(((cpuMs / 1000) * 7 * 24) / measuredHours, 's'),
  };
}

/** A figure is worth printing only if the day was what it claims to be. */
async function refuseEmptyMeasure(stage: ClusterStage, runs: number, documents: number): Promise<void> {
  const scheduled = 8 * 12 * measuredHours;
  if (runs < scheduled) throw new Error(`the command ran ${runs} times, at least ${scheduled} are due`);
  if (documents < 350 * measuredHours) throw new Error(`only ${documents} documents were written`);
  const { snapshots } = await stage.deployed.search<{ snapshots: { state: string }[] }>(
    'GET',
    '/_snapshot/backups/_all',
  );
  const good = snapshots.filter(({ state }) => state === 'SUCCESS').length;
  if (good < measuredHours) throw new Error(`only ${good} snapshots were taken`);
}

import { nodeUpgrades, upgradeIntents } from '@drover/adapters/aws';
import { snapshotStore } from '@drover/adapters/elasticsearch';
import { snapshotRepository } from '@drover/core/names/search-cluster';
import {
  type CheckVerdict,
  forecastEach,
  forecastUpgrade,
  recoverySpeed,
  slowestMachine,
  stackUpdateLimitMs,
  type UpgradePlan,
  type UpgradeRun,
  upgradeChecks,
  upgradeCluster,
} from '@drover/search-cluster';
import { exitCodes } from '../exit-codes.ts';
import type { DroverIo } from '../io.ts';
import { operatorSsm } from '../operator-ssm.ts';
import { duration, type Format, json } from '../render/table.ts';
import { narrated } from './narrated.ts';
import { objectCalls } from './object-calls.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';
import { webUiStep } from './web-ui-step.ts';

export interface UpgradeOptions extends ClusterOptions {
  readonly to: string;
  readonly dryRun: boolean;
  readonly resume: boolean;
  readonly skip: readonly string[];
  readonly format: Format;
  /** The stack of the web UI, if it is another one. */
  readonly uiStack?: string;
}

/** Longer than a large cluster takes in place. A run that ends here goes on with `--resume`. */
const longestMs = 24 * 3_600_000;

/** `drover cluster upgrade --to VERSION`: every node in place, one after the other. */
export async function upgrade(io: DroverIo, options: UpgradeOptions): Promise<number> {
  if (!/^\d+\.\d+\.\d+$/.test(options.to)) return usage(io, `--to ${options.to} is no version like 9.5.3`);
  const unknown = options.skip.find(
    (name) => name !== 'snapshot' && !upgradeChecks.some((check) => check.name === name),
  );
  if (unknown !== undefined)
    return usage(
      io,
      `--skip ${unknown}: there is no such check; there are ${upgradeChecks.map(({ name }) => name).join(', ')}, snapshot`,
    );
  const run = await openRun(io, options);
  const request = { to: options.to, skip: options.skip, waitMs: longestMs };
  const plan = await forecastUpgrade(run, request);
  if (options.dryRun) return show(io, options, plan, plan.checks.filter(blocks), await run.replacement());
  const intent = await run.intents.read(options.to);
  if (intent === undefined && options.resume)
    return usage(io, `no upgrade to ${options.to} was started: leave --resume out`);
  if (intent !== undefined && !options.resume && plan.next !== undefined)
    return usage(io, `an upgrade to ${options.to} was started at ${intent.startedAt}: go on with --resume`);
  const end = await upgradeCluster(run, request);
  if (end.kind === 'timed-out') {
    io.stderr(`waiting: ${end.because}. Go on with --resume\n`);
    return exitCodes.waiting;
  }
  const shown = show(io, options, end.outcome.plan, end.outcome.kind === 'blocked' ? end.outcome.blockers : []);
  return shown !== exitCodes.done || (await webUiStep(io, options)) ? shown : exitCodes.waiting;
}

const blocks = ({ verdict }: CheckVerdict) => verdict === 'blocks';

function usage(io: DroverIo, message: string): number {
  io.stderr(`drover: ${message}\n`);
  return exitCodes.usage;
}

/** The work of a deployment that replaces the data nodes instead: each is drained. */
interface Replacement {
  readonly bytes: number;
  readonly seconds: number;
  /** Whether CloudFormation waits that long. */
  readonly endsInTime: boolean;
}

async function forecastReplacement({ search, instances, groups }: OpenCluster): Promise<Replacement> {
  const [topology, copies] = [await search.topology.topology(), await search.shards.shards()];
  const machine = slowestMachine(await instances.ofGroups(groups.holdingData));
  const drains = forecastEach({ topology, copies, speed: recoverySpeed(await search.disks.settings(), machine) });
  const ms = drains.reduce((sum, drain) => sum + drain.ms, 0);
  const bytes = drains.reduce((sum, drain) => sum + drain.bytes, 0);
  return { bytes, seconds: Math.round(ms / 1000), endsInTime: ms <= stackUpdateLimitMs };
}

interface OpenedRun extends UpgradeRun {
  replacement(): Promise<Replacement>;
}

async function openRun(io: DroverIo, options: UpgradeOptions): Promise<OpenedRun> {
  // A master that has just started returns 401 to the right password, too.
  const opened = await openCluster(io, { ...options, securityStartsWithinMs: longestMs });
  const { aws, client, search, instances, groups, stateBucket } = opened;
  const { clock, random, signal } = io;
  return {
    clock,
    random,
    signal,
    search: { ...search, snapshots: snapshotStore(client) },
    instances,
    groups: groups.all,
    intents: upgradeIntents({ s3: objectCalls(aws) }, stateBucket()),
    commands: nodeUpgrades(operatorSsm(aws)),
    repository: snapshotRepository,
    replacement: () => forecastReplacement(opened),
    ...narrated(io),
  };
}

function show(
  io: DroverIo,
  { format }: UpgradeOptions,
  plan: UpgradePlan,
  blockers: readonly CheckVerdict[],
  replacement?: Replacement,
): number {
  if (format === 'json') io.stdout(json({ ...plan, blockers, ...(replacement === undefined ? {} : { replacement }) }));
  else io.stdout(`${planText(plan, blockers)}${replacement === undefined ? '' : replacementText(replacement)}`);
  return blockers.length > 0 ? exitCodes.blocked : exitCodes.done;
}

const replacementText = ({ bytes, seconds, endsInTime }: Replacement) =>
  `replacing the data nodes instead would move ${(bytes / 2 ** 30).toFixed(1)} GiB in about ${duration(1000 * seconds)}${endsInTime ? '' : `: a deployment cannot do that, CloudFormation waits ${duration(stackUpdateLimitMs)}`}\n`;

function planText({ from, to, order, checks }: UpgradePlan, blockers: readonly CheckVerdict[]): string {
  if (order.length === 0 && blockers.length === 0)
    return `every node runs ${to}\nnext: set elasticsearch_version to ${to} and deploy; for the version alone no node is replaced, cdk diff shows what else changes the launch templates\n`;
  const nodes = order.map(({ name, version, roles }, at) => `${at + 1}. ${name}  ${version}  ${roles.join(',')}`);
  const verdicts = checks.map(
    ({ check, verdict, because }) => `${verdict.padEnd(8)} ${check}${because === undefined ? '' : `: ${because}`}`,
  );
  const others = blockers
    .filter(({ check }) => !checks.some((one) => one.check === check))
    .map(({ check, because }) => `blocks   ${check}: ${because}`);
  return `${[`${from} -> ${to}, in place, one node at a time; no data is moved`, ...nodes, ...verdicts, ...others].join('\n')}\n`;
}

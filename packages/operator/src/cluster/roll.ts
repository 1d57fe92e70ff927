import { InvokeCommand } from '@aws-sdk/client-lambda';
import { nodeRolls, softwarePointer } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { softwareFunction } from '@drover/core/names/search-cluster';
import {
  failedNodes,
  forecastRoll,
  nameRollNode,
  type RollFacts,
  type RollOutcome,
  rollProgress,
  rollSoftware,
  type Software,
  type SoftwarePointer,
} from '@drover/search-cluster';
import { exitCodes } from '../exit-codes.ts';
import type { DroverIo } from '../io.ts';
import { operatorSsm } from '../operator-ssm.ts';
import { type Format, json } from '../render/table.ts';
import { narrated } from './narrated.ts';
import { objectCalls } from './object-calls.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

export interface RollOptions extends ClusterOptions {
  readonly back: boolean;
  readonly dryRun: boolean;
  readonly format: Format;
}

/** Longer than a large cluster takes. A run that ends here is followed by the next. */
const longestMs = 24 * 3_600_000;

/** `drover cluster roll`: every node takes the software of the stack, one after the other; with `--back` that of before. */
export async function roll(io: DroverIo, options: RollOptions): Promise<number> {
  // A master that has just started returns 401 to the right password, too.
  const cluster = await openCluster(io, { ...options, securityStartsWithinMs: longestMs });
  const run = openRun(io, cluster);
  if (options.dryRun) return showPlan(io, options, await forecastRoll(run));
  if (options.back) await goBack(io, cluster, await run.pointer());
  const end = await rollSoftware(run, longestMs);
  if (end.kind === 'timed-out') {
    io.stderr(`waiting: ${end.because}. Go on with: drover cluster roll\n`);
    return exitCodes.waiting;
  }
  return show(io, options, await run.pointer(), end.outcome);
}

function openRun(io: DroverIo, cluster: OpenCluster) {
  const { aws, search, instances, groups } = cluster;
  const { clock, random, signal } = io;
  return {
    clock,
    random,
    signal,
    search,
    instances,
    masterGroup: groups.master,
    groups: groups.all,
    commands: nodeRolls(operatorSsm(aws)),
    pointer: () => readPointer(cluster),
    prove: async ({ digest }: Software) => void (await invoke(cluster, { proven: digest })),
    ...narrated(io),
  };
}

async function readPointer({ aws, stateBucket, stack }: OpenCluster): Promise<SoftwarePointer> {
  const pointer = await softwarePointer({ s3: objectCalls(aws) }, stateBucket()).read();
  if (pointer !== undefined) return pointer;
  throw new TerminalError(`the stack ${stack} is of a version whose nodes have their software from the user data`, {
    remedy: 'deploy this version first',
  });
}

/** Only the function may write the pointer; it is passed the one to withdraw, so that a second call changes nothing. */
async function goBack(io: DroverIo, cluster: OpenCluster, { digest, version }: SoftwarePointer) {
  const now = await invoke(cluster, { back: digest });
  io.stderr(`${version} (${digest}) is withdrawn: every node is to have ${now.version} (${now.digest})\n`);
}

async function invoke(
  { aws, clusterName }: OpenCluster,
  request: object,
): Promise<Pick<Software, 'version' | 'digest'>> {
  const { Payload, FunctionError } = await aws.lambda.send(
    new InvokeCommand({ FunctionName: softwareFunction(clusterName), Payload: JSON.stringify(request) }),
  );
  const reply = JSON.parse(new TextDecoder().decode(Payload)) as Record<'version' | 'digest' | 'errorMessage', string>;
  if (FunctionError !== undefined) throw new TerminalError(reply.errorMessage);
  return reply;
}

const countOf = ({ version, digest }: SoftwarePointer, { taken, of }: ReturnType<typeof rollProgress>) =>
  `${taken} of ${of} nodes have software ${version} (${digest})\n`;

function show(io: DroverIo, { format }: RollOptions, pointer: SoftwarePointer, outcome: RollOutcome): number {
  if (format === 'json') io.stdout(json({ ...outcome, version: pointer.version, digest: pointer.digest }));
  else io.stdout(countOf(pointer, outcome.progress));
  if (outcome.kind === 'rolled') return exitCodes.done;
  const next =
    outcome.kind === 'stopped'
      ? 'No other node is begun. Once it is mended: drover cluster roll, which begins with it; or: drover cluster roll --back'
      : 'Go on with: drover cluster roll';
  io.stderr(`${outcome.kind}: ${outcome.because}. ${next}\n`);
  return exitCodes.blocked;
}

function showPlan(io: DroverIo, { format }: RollOptions, facts: RollFacts): number {
  const { pointer, nodes } = facts;
  const states = nodes.map((node) => {
    const { report } = node;
    const state = report === undefined ? 'unknown' : `${report.digest} ${report.state}`;
    return { instance: node.instanceId, node: node.node?.name ?? '', software: state, because: report?.because ?? '' };
  });
  if (format === 'json') io.stdout(json({ version: pointer.version, digest: pointer.digest, nodes: states }));
  else {
    const lines = states.map(
      (one) => `${one.instance}  ${one.software}${one.because === '' ? '' : `: ${one.because}`}`,
    );
    io.stdout(`${countOf(pointer, rollProgress(facts))}${lines.join('\n')}\n`);
  }
  const failed = failedNodes(facts);
  if (failed.length > 0) io.stderr(`stopped: ${failed.map(nameRollNode).join(', ')} could not take it\n`);
  return failed.length > 0 ? exitCodes.blocked : exitCodes.done;
}

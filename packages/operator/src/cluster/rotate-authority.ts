import { InvokeCommand } from '@aws-sdk/client-lambda';
import { nodeAuthorities } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { authorityFunction } from '@drover/core/names/search-cluster';
import {
  type AuthorityState,
  describePhase,
  forecastRotation,
  newestOf,
  type RotationFacts,
  type RotationOutcome,
  rotateAuthority as rotateNodes,
} from '@drover/search-cluster';
import { exitCodes } from '../exit-codes.ts';
import type { DroverIo } from '../io.ts';
import { operatorSsm } from '../operator-ssm.ts';
import { type Format, json } from '../render/table.ts';
import { narrated } from './narrated.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

export interface RotateOptions extends ClusterOptions {
  readonly again: boolean;
  readonly dryRun: boolean;
  readonly format: Format;
}

/** Far longer than it takes. A run that ends here is followed by the next. */
const longestMs = 6 * 3_600_000;

/** `drover cluster rotate-authority`: another authority for the nodes' certificates, in phases that each node has to confirm. */
export async function rotateAuthority(io: DroverIo, options: RotateOptions): Promise<number> {
  const cluster = await openCluster(io, options);
  const run = openRun(io, cluster, options.again);
  if (options.dryRun) return showPlan(io, options, await forecastRotation(run));
  const before = await run.authority.look();
  const end = await rotateNodes(run, longestMs);
  if (end.kind === 'timed-out') {
    io.stderr(`waiting: ${end.because}. Go on with: drover cluster rotate-authority\n`);
    return exitCodes.waiting;
  }
  return show(io, options, { before, now: await run.authority.look(), outcome: end.outcome });
}

function openRun(io: DroverIo, cluster: OpenCluster, again: boolean) {
  const { aws, search, instances, groups } = cluster;
  const { clock, random, signal } = io;
  return {
    clock,
    random,
    signal,
    nodes: search.upgrade,
    instances,
    groups: [groups.master, groups.data],
    commands: nodeAuthorities(operatorSsm(aws)),
    authority: {
      look: () => invoke(cluster, { rotate: 'look' }),
      act: (rotate: string, digest: string) => invoke(cluster, { rotate, digest }),
    },
    again,
    ...narrated(io),
  };
}

/** Only the function sees the keys. */
async function invoke({ aws, clusterName, stack }: OpenCluster, request: object): Promise<AuthorityState> {
  const { Payload, FunctionError } = await aws.lambda.send(
    new InvokeCommand({ FunctionName: authorityFunction(clusterName), Payload: JSON.stringify(request) }),
  );
  const reply = JSON.parse(new TextDecoder().decode(Payload)) as AuthorityState & { readonly errorMessage?: string };
  if (FunctionError !== undefined) throw new TerminalError(reply.errorMessage ?? FunctionError);
  if (reply?.phase !== undefined) return reply;
  throw new TerminalError(`the stack ${stack} is of a version that replaces no authority`, {
    remedy: 'deploy this version first',
  });
}

interface Ended {
  readonly before: AuthorityState;
  readonly now: AuthorityState;
  readonly outcome: RotationOutcome;
}

function show(io: DroverIo, { format }: RotateOptions, { before, now, outcome }: Ended): number {
  const { ready, of } = outcome.progress;
  const made = new Date(newestOf(now).madeAt).toISOString().slice(0, 16);
  if (format === 'json') io.stdout(json({ ...outcome, phase: now.phase, authorities: now.authorities }));
  else io.stdout(`${describePhase(now)} (made ${made}Z); ${ready} of ${of} nodes have shown it\n`);
  if (outcome.kind === 'blocked') {
    io.stderr(`blocked: ${outcome.because}. Nothing is lost: go on with drover cluster rotate-authority\n`);
    return exitCodes.blocked;
  }
  if (before.digest === now.digest)
    io.stderr('it is younger than a day, and nothing was changed. For another one: --again\n');
  return exitCodes.done;
}

function showPlan(io: DroverIo, { format }: RotateOptions, { authority, nodes, strangers }: RotationFacts): number {
  const away = nodes.filter(
    ({ lifecycleState, joined, agent }) => lifecycleState !== 'InService' || !joined || agent !== 'Online',
  );
  const inTheWay = [
    ...away.map(
      (node) =>
        `${node.instanceId}: ${node.lifecycleState}, agent ${node.agent ?? 'unknown'}, ${node.joined ? 'joined' : 'not in the cluster'}`,
    ),
    ...strangers.map((name) => `node ${name} is on no instance of the groups`),
  ];
  if (format === 'json') io.stdout(json({ ...authority, inTheWay }));
  else io.stdout(`${[describePhase(authority), ...inTheWay].join('\n')}\n`);
  return inTheWay.length > 0 ? exitCodes.blocked : exitCodes.done;
}

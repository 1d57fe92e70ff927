import type { Refusal, WaitStep } from '@drover/core';
import { inService } from '../../model/lifecycle.ts';
import { describeRecord, type ShutdownRecord } from '../../model/shutdown.ts';
import { type DataVolume, isModified } from '../../model/volume.ts';
import type { SentRoll } from '../software/roll.ts';

/** A data node as its growth sees it. */
export interface GrowNode {
  readonly instanceId: string;
  readonly lifecycleState: string;
  /** Undefined when its data is on the root volume. */
  readonly volume: DataVolume | undefined;
  /** The agent's state in Systems Manager. */
  readonly agent: string | undefined;
  /** EC2 did not take the modification that this run asked for: its words. */
  readonly notNow: string | undefined;
  /** The command of this run that has the file system fill its disk. */
  readonly command: Pick<SentRoll, 'state' | 'output'> | undefined;
}

export interface GrowFacts {
  readonly wantedGiB: number;
  /** The least size that was asked for last; undefined when the volumes were never grown. */
  readonly leastGiB: number | undefined;
  /** Of the group of the data nodes. */
  readonly nodes: readonly GrowNode[];
  /** Undefined while Elasticsearch does not respond: its nodes may be down because a disk is full. */
  readonly records: readonly ShutdownRecord[] | undefined;
  /** Since when something has been in the way; undefined when nothing is. */
  readonly blockedSince: number | undefined;
}

export interface GrowProgress {
  /** Nodes whose file system has the size. */
  readonly grown: number;
  readonly of: number;
}

export type GrowAction =
  /** From now on no data node is to have less. */
  | { readonly kind: 'note' }
  | { readonly kind: 'modify'; readonly volume: DataVolume }
  /** The file system of this node fills its disk. */
  | { readonly kind: 'resize'; readonly instanceId: string };

export type GrowOutcome = { readonly progress: GrowProgress } & (
  | { readonly kind: 'grown' }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A file system could not be grown: no other node is begun. */
  | { readonly kind: 'stopped'; readonly because: string }
  /** It can go on later. */
  | { readonly kind: 'blocked'; readonly because: string }
);

type Step = WaitStep<GrowAction, GrowOutcome>;

/** A restart in place, or an agent that starts, takes less. */
const blockedLimitMs = 15 * 60_000;

const serving = ({ nodes }: GrowFacts) =>
  nodes
    .filter(({ lifecycleState }) => lifecycleState === inService)
    .sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));

export const growProgress = (facts: GrowFacts): GrowProgress => ({
  grown: serving(facts).filter((node) => isGrown(node, facts)).length,
  of: serving(facts).length,
});

/** The size counts from `optimizing` on, whatever EC2 shows before: a file system that was grown too early would stay as it was. */
const hasSize = ({ volume }: GrowNode, { wantedGiB }: GrowFacts) =>
  volume !== undefined && volume.sizeGiB >= wantedGiB && volume.modification?.state !== 'modifying';
const isGrown = (node: GrowNode, facts: GrowFacts) => hasSize(node, facts) && node.command?.state === 'succeeded';

/**
 * The next act: first what no deployment and no launch may go below, then one node after the other: its volume, and as soon as its disk
 * has the size its file system. Nodes that are launched or leave meanwhile are none of this run's: the watch grows what is launched.
 */
export function decideGrow(facts: GrowFacts, now: number): Step {
  const refused = whyRefused(facts);
  if (refused !== undefined) return done(facts, { kind: 'refused', refusal: refused });
  if (facts.leastGiB !== facts.wantedGiB) return act({ kind: 'note' }, 'the size is noted');
  const nodes = serving(facts);
  const failed = nodes.find(({ command }) => command?.state === 'failed');
  if (failed !== undefined)
    return done(facts, { kind: 'stopped', because: `${failed.instanceId}: ${lastLine(failed.command!.output)}` });
  const left = nodes.filter((node) => !isGrown(node, facts));
  const next = left.find((node) => whyLater(node, facts) === undefined);
  if (next !== undefined) return stepOf(next, facts, now);
  const later = left.flatMap((node) => whyLater(node, facts) ?? []);
  return later.length === 0
    ? done(facts, { kind: 'grown' })
    : done(facts, { kind: 'blocked', because: later.join('; ') });
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) || 'no output';

const act = (action: GrowAction, because: string): Step => ({ kind: 'wait', because, actions: [action] });

type End =
  | { readonly kind: 'grown' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'stopped' | 'blocked'; readonly because: string };

const done = (facts: GrowFacts, end: End): Step => ({
  kind: 'done',
  outcome: { ...end, progress: growProgress(facts) },
});

function whyRefused({ nodes, wantedGiB, leastGiB = 0 }: GrowFacts): Refusal | undefined {
  const without = nodes.filter(({ volume, lifecycleState }) => volume === undefined && lifecycleState === inService);
  if (without.length > 0)
    return {
      kind: 'refusal',
      name: 'no-data-volume',
      reason: `the data of ${without.map(({ instanceId }) => instanceId).join(', ')} is on the root volume, which is not grown`,
      remedy:
        'nodes have a volume for data if they are launched with separate_data_volume: set it, deploy, then replace the data nodes by an instance refresh',
    };
  const largest = Math.max(leastGiB, ...nodes.map(({ volume }) => volume?.sizeGiB ?? 0));
  if (largest <= wantedGiB) return undefined;
  return {
    kind: 'refusal',
    name: 'smaller-than-now',
    reason: `the volumes have ${largest} GiB, and a volume never gets smaller`,
    remedy: `give ${largest} or more`,
  };
}

/** The line of `--dry-run`: the steps of a run, or the reason for a refusal. */
export function describeGrowth(facts: GrowFacts): string {
  const refused = whyRefused(facts);
  if (refused !== undefined) return `It would be refused (${refused.name}): ${refused.reason}; ${refused.remedy}.`;
  const smaller = serving(facts).filter((node) => !hasSize(node, facts));
  const later = smaller.flatMap((node) => whyLater(node, facts) ?? []);
  if (smaller.length === 0) return `Every data node has ${facts.wantedGiB} GiB.`;
  return later.length === 0
    ? `It would grow ${smaller.length} of ${serving(facts).length} data nodes to ${facts.wantedGiB} GiB.`
    : `It would have to go on later: ${later.join('; ')}.`;
}

/** Why this volume cannot be modified in this run. */
function whyLater(node: GrowNode, facts: GrowFacts): string | undefined {
  const { volume, notNow } = node;
  if (hasSize(node, facts) || volume === undefined) return undefined;
  const { modification, volumeId } = volume;
  if (isModified(volume) && modification!.targetGiB < facts.wantedGiB)
    return `${volumeId} of ${node.instanceId} is ${modification!.state} since ${new Date(modification!.startedAt).toISOString()} (${modification!.progressPercent} %): EC2 lets it be modified again once that is completed, which may take hours`;
  return notNow === undefined || isModified(volume) ? undefined : `${volumeId} of ${node.instanceId}: ${notNow}`;
}

function stepOf(node: GrowNode, facts: GrowFacts, now: number): Step {
  const { instanceId, volume, command, agent } = node;
  if (command?.state === 'running')
    return { kind: 'wait', because: `the file system of ${instanceId} grows to ${facts.wantedGiB} GiB` };
  if (!hasSize(node, facts) && isModified(volume!))
    return { kind: 'wait', because: `${volume!.volumeId} of ${instanceId} is modified` };
  const because =
    agent === 'Online'
      ? restarting(facts)
      : `Systems Manager does not reach ${instanceId} (${agent ?? 'never registered'})`;
  if (because !== undefined) {
    const waited = facts.blockedSince !== undefined && now - facts.blockedSince >= blockedLimitMs;
    return waited ? done(facts, { kind: 'blocked', because }) : { kind: 'wait', because };
  }
  return hasSize(node, facts)
    ? act({ kind: 'resize', instanceId }, `${instanceId} has a disk of ${facts.wantedGiB} GiB`)
    : act({ kind: 'modify', volume: volume! }, `${instanceId} is next`);
}

/** Another driver has a node in hand. A drain is not in the way: it may be waiting for room. */
function restarting({ records = [] }: GrowFacts): string | undefined {
  const record = records.find(({ type }) => type === 'RESTART');
  return record === undefined ? undefined : describeRecord(record);
}

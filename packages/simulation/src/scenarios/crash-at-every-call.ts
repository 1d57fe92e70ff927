import type { FaultEffect, FaultRule, JournalEntry } from '@drover/cloud-engine';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { DeployedFleet } from '@drover/stage/fleet';
import type { FleetProps } from '@drover/stage/fleet-template';
import { playOneJob } from '../stories/one-job.ts';
import { type Kept, playOneRunner } from '../stories/one-runner.ts';

/** One external call of a program: found in the journal of an undisturbed story, not listed by hand. */
export interface ExternalCall {
  readonly service: string;
  readonly operation: string;
  /** Part of the caller's name that the fault rule matches: a function, or an instance's agent. */
  readonly caller: string;
  /** Which of the equal calls, from 1. */
  readonly nth: number;
}

/** The calls of an undisturbed story. */
export interface FoundCalls {
  readonly calls: readonly ExternalCall[];
  readonly events: readonly string[];
}

export interface CallCase {
  readonly name: string;
  readonly rules: readonly FaultRule[];
}

export interface CaseResult {
  readonly name: string;
  readonly violations: readonly string[];
  readonly checks: number;
}

/** A story that is disturbed, with the inputs of its fleet. */
export interface CrashStory {
  readonly inputs: FleetProps & {
    readonly groupName: string;
    readonly asgMinSize: number;
    readonly asgMaxSize: number;
  };
  play(fleet: DeployedFleet): Promise<readonly Kept[]>;
}

export const crashStories = {
  /** One runner that lives long. */
  'one-runner': {
    inputs: { groupName: 'runners', asgMinSize: 1, asgMaxSize: 2, warmPoolMaxSize: 0 },
    play: (fleet) => playOneRunner(fleet, () => {}),
  },
  /** A job on an empty fleet in jobs mode. */
  'one-job': {
    inputs: {
      groupName: 'runners',
      scalingMode: 'jobs',
      asgMinSize: 0,
      asgMaxSize: 2,
      idleRunnersTargetCount: 0,
      warmPoolMaxSize: 0,
    },
    play: playOneJob,
  },
} satisfies Record<string, CrashStory>;

interface StoryPlace {
  readonly story: CrashStory;
  /** The assembly synthesised from its inputs. */
  readonly assembly: string;
}

const minute = 60_000;
const seed = 11;

/** Plays the story undisturbed and reads from the journal which calls the functions and the agent make, and which events start them. */
export async function findCalls({ story, assembly }: StoryPlace): Promise<FoundCalls> {
  const { groupName } = story.inputs;
  const fleet = new DeployedFleet({ assembly, groupName, seed, transport: 'direct' });
  const seen = new Map<string, ExternalCall>();
  const events = new Set<string>();
  fleet.world.engine.journal.subscribe((entry) => {
    if (entry.kind === 'event' && /Lifecycle Action/.test(entry.name)) events.add(entry.name);
    const call = externalCall(entry, groupName);
    if (call === undefined) return;
    // Of equal calls the first.
    const key = `${call.service} ${call.operation} ${call.caller}`;
    if (!seen.has(key)) seen.set(key, { ...call, nth: 1 });
  });
  await story.play(fleet);
  return { calls: [...seen.values()], events: [...events] };
}

/** The call that a journal entry records, if a function or an agent made it. */
export function externalCall(entry: JournalEntry, groupName: string): Omit<ExternalCall, 'nth'> | undefined {
  if (entry.kind !== 'request') return undefined;
  const by = entry.source === 'platform' ? (entry.subject ?? '') : String(entry.detail?.by ?? '');
  const caller = by.split('/').at(-1) ?? '';
  const ours = caller.startsWith(`${groupName}_`) || caller.startsWith('i-');
  if (!ours) return undefined;
  const service = entry.source.replace(/^aws\./, '');
  return { service, operation: entry.name, caller: caller.startsWith('i-') ? 'i-' : caller };
}

/** Every way in which one call can go wrong. */
const effects: Readonly<Record<string, FaultEffect>> = {
  'dies just before': { kind: 'kill', phase: 'before' },
  'dies just after': { kind: 'kill', phase: 'after' },
  'fails transiently': { kind: 'error', status: 503 },
  'fails after its effect': { kind: 'error', status: 503, phase: 'after' },
  'fails terminally': { kind: 'error', status: 400, code: 'ValidationException' },
};

export const casesOfCall = (call: ExternalCall): CallCase[] =>
  Object.entries(effects).map(([how, effect]) => ({
    name: `${call.caller} ${how} ${call.service}.${call.operation} #${call.nth}`,
    rules: [{ service: call.service, operation: call.operation, subject: call.caller, nth: call.nth, effect }],
  }));

/** Every way in which an event can come wrong. */
const casesOfEvent = (event: string): CallCase[] =>
  (
    [
      ['comes twice', { kind: 'duplicate', afterMs: 30_000 }],
      ['comes late', { kind: 'delayed', ms: 3 * minute }],
      ['never comes', { kind: 'lose' }],
    ] as const
  ).map(([how, effect]) => ({ name: `${event} ${how}`, rules: [{ service: 'events', operation: event, effect }] }));

/** All calls and events with all ways in which they can go wrong. */
export const allCases = ({ calls, events }: FoundCalls): CallCase[] => [
  ...calls.flatMap(casesOfCall),
  ...events.flatMap(casesOfEvent),
];

/** Each call with one way in which it can go wrong, another one each time, and each event with all of its ways. */
export const oneCaseACall = ({ calls, events }: FoundCalls): CallCase[] => [
  ...calls.flatMap((call, index) => casesOfCall(call).filter((_, way, ways) => way === index % ways.length)),
  ...events.flatMap(casesOfEvent),
];

/** Plays the story with one fault, then lets two sweeps pass: all promises must hold in the end. */
export async function playCase({ story, assembly }: StoryPlace, { name, rules }: CallCase): Promise<CaseResult> {
  const { groupName, asgMinSize: minSize, asgMaxSize: maxSize, scalingMode } = story.inputs;
  const fleet = new DeployedFleet({ assembly, groupName, seed, transport: 'direct' });
  const jobs = scalingMode === 'jobs' ? { jobs: { idleTarget: 0 } } : {};
  const checkers = new FleetCheckers(fleet, { allowedDrainTimeMs: 900_000, minSize, maxSize, ...jobs });
  for (const rule of rules) fleet.world.engine.faults.add(rule);
  const violations: string[] = [];
  try {
    const kept = await story.play(fleet);
    violations.push(
      ...kept
        .filter((promise) => !promise.kept && mustHold(promise.promise))
        .map(({ promise }) => `not kept: ${promise}`),
    );
    for (let passed = 0; passed < 60; passed += 10) {
      await fleet.drive(fleet.clock.sleep(10 * minute), 20 * minute);
      await fleet.drive(checkers.checkAlways(), 60 * minute);
    }
    checkers.checkAtRest();
    await fleet.drive(checkers.checkSecrecy(fleet.secretValues), 60 * minute);
  } catch (error) {
    violations.push(`the story did not end: ${(error as Error).message}`);
  }
  return { name, violations: [...violations, ...checkers.violations], checks: checkers.checks };
}

/** With a fault the story's timing may differ; these two say how it went, the others what must come out. */
const mustHold = (promise: string) =>
  !/IAM refused|waited in Terminating|token was deleted|runner is gone|no registration token/.test(promise);

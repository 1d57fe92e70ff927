import { fleetLifeInputs, playFleetLife } from '../stories/fleet-life.ts';
import { imageLifeInputs, playImageLife } from '../stories/image-life.ts';
import { jobsLifeInputs, playJobsLife } from '../stories/jobs-life.ts';
import { playSpotLife, spotLifeInputs } from '../stories/spot-life.ts';
import { playTypesLife, typesLifeInputs } from '../stories/types-life.ts';
import { type CallCase, casesOfCall, type ExternalCall, externalCall } from './crash-at-every-call.ts';

/** The lives that are disturbed, with the inputs of their fleets. */
export const fleetLives = {
  life: { inputs: fleetLifeInputs, play: playFleetLife },
  'image-life': { inputs: imageLifeInputs, play: playImageLife },
  'jobs-life': { inputs: jobsLifeInputs, play: playJobsLife },
  'spot-life': { inputs: spotLifeInputs, play: playSpotLife },
  'types-life': { inputs: typesLifeInputs, play: playTypesLife },
} as const;

export type FleetLife = keyof typeof fleetLives;

/** A call that the programs make in a fleet's life, and how often they make it. */
export interface LifeCall extends Omit<ExternalCall, 'nth'> {
  readonly times: number;
}

export interface LifeResult {
  readonly name: string;
  readonly violations: readonly string[];
  /** Calls at which a fault was planned that were never made. */
  readonly missed: readonly string[];
  readonly checks: number;
}

/** Plays a fleet's life undisturbed and reads from the journal which calls its programs make. */
export async function findLifeCalls(life: FleetLife, assembly?: string): Promise<readonly LifeCall[]> {
  const found = new Map<string, Omit<ExternalCall, 'nth'> & { times: number }>();
  await fleetLives[life].play((fleet) => {
    fleet.world.engine.journal.subscribe((entry) => {
      const call = externalCall(entry, fleet.groupName);
      if (call === undefined) return;
      const key = `${call.caller} ${call.service} ${call.operation}`;
      const known = found.get(key) ?? { ...call, times: 0 };
      found.set(key, known);
      known.times++;
    });
  }, assembly);
  return [...found.values()];
}

/** All ways in which the first of each kind of call can go wrong, then the second, and so on for as long as there are any. */
export function lifeCases(calls: readonly LifeCall[]): CallCase[] {
  const most = Math.max(0, ...calls.map(({ times }) => times));
  return Array.from({ length: most }, (_, index) =>
    calls.filter(({ times }) => times > index).flatMap((call) => casesOfCall({ ...call, nth: index + 1 })),
  ).flat();
}

/** Plays a fleet's life with the faults of a case: however it goes on, every promise holds in the end. */
export async function playLifeCase(life: FleetLife, { name, rules }: CallCase, assembly?: string): Promise<LifeResult> {
  const struck = new Set<unknown>();
  const stage = await fleetLives[life].play(({ world: { engine } }) => {
    for (const rule of rules) engine.faults.add(rule);
    engine.journal.subscribe(({ kind, detail }) => kind === 'fault' && struck.add(detail?.operation));
  }, assembly);
  const violations = await stage.violationsAtRest();
  const missed = rules.map(({ service, operation }) => `${service}.${operation}`).filter((call) => !struck.has(call));
  return { name, violations, missed, checks: stage.checkers.checks };
}

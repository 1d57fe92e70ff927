import { GetFunctionConfigurationCommand, type GetFunctionConfigurationCommandOutput } from '@aws-sdk/client-lambda';
import type { FaultRule } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { environment, functionName, typeMemoryKey } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;
const hour = 60 * minute;

type Window = Required<Pick<FaultRule, 'fromMs' | 'untilMs'>>;
/** A kind of fault: how likely it is on a day, and what it is when it comes. */
export type Draw = (random: Random, window: (longestMs: number, leastMs?: number) => Window) => FaultRule;

/** The possible faults of a day: each with a window and a chance of its own. */
const draws: readonly (readonly [probability: number, draw: Draw])[] = [
  // An outage of an hour, whole or shorter: pages of errors, or no response at all.
  [
    0.5,
    (random, window) => ({
      service: 'platform',
      ...window(hour, random.chance(0.5) ? hour : minute),
      effect: random.pick([{ kind: 'error' }, { kind: 'error', status: 503 }, { kind: 'timeout' }]),
    }),
  ],
  // The secondary rate limit, with `retry-after`.
  [0.4, (_, window) => ({ service: 'platform', ...window(30 * minute), effect: { kind: 'throttle' } })],
  [
    0.3,
    (random, window) => ({
      service: 'platform',
      ...window(hour),
      chance: 0.3,
      effect: { kind: 'slow', ms: random.int(1_000, 30_000) },
    }),
  ],
  // Throttled functions: the account's concurrency is used up by other functions.
  [
    0.4,
    (random, window) => ({
      service: 'lambda',
      ...window(hour),
      chance: random.pick([0.5, 1]),
      effect: { kind: 'throttle' },
    }),
  ],
  ...['autoscaling', 'secretsmanager', 'ssm', 'ec2', 's3', 'monitoring'].map(ofService),
  [
    0.5,
    (random, window) => ({
      service: 'events',
      ...window(3 * hour),
      chance: 0.3,
      effect: random.pick([
        { kind: 'lose' },
        { kind: 'duplicate', afterMs: 20_000 },
        { kind: 'delayed', ms: 5 * minute },
      ]),
    }),
  ],
  [0.5, onMachine('agent', 6 * hour, 0.1, () => ({ kind: 'dead-agent' }))],
  [0.4, onMachine('boot', 6 * hour, 0.2, () => ({ kind: 'boot-failure' }))],
  [0.4, onMachine('boot', 6 * hour, 0.3, (random) => ({ kind: 'slow-boot', ms: random.int(2, 20) * minute }))],
  [0.4, onMachine('run', hour, 0.01, () => ({ kind: 'crash' }), 3)],
  [0.6, onMachine('run', 3 * hour, 0.02, () => ({ kind: 'spot-reclaim' }), 5)],
  [0.5, onMachine('hibernate', 12 * hour, 0.3, () => ({ kind: 'failed-hibernation' }))],
  // Every call takes long, so that runs overlap and end at their time-out.
  [0.4, (random, window) => ({ ...window(2 * hour), effect: { kind: 'slow', ms: random.int(500, 8_000) } })],
];

/** Calls of the functions and agents to one service fail or are throttled, some of them after they took effect. */
function ofService(service: string): readonly [number, Draw] {
  const draw: Draw = (random, window) => {
    const phase = random.chance(0.5) ? ({ phase: 'after' } as const) : {};
    return {
      service,
      subject: 'assumed-role',
      ...window(2 * hour),
      chance: 0.2,
      effect: random.chance(0.5) ? { kind: 'throttle' } : { kind: 'error', ...phase },
    };
  };
  return [0.4, draw];
}

function onMachine(
  operation: string,
  longestMs: number,
  chance: number,
  effect: (random: Random) => FaultRule['effect'],
  times?: number,
): Draw {
  return (random, window) => ({
    service: 'machine',
    operation,
    ...window(longestMs),
    chance,
    ...(times === undefined ? {} : { times }),
    effect: effect(random),
  });
}

/** The faults of one day that are rules: which come, and when. */
export function drawFaults(random: Random, start: number, forMs: number, from = draws): FaultRule[] {
  const window = (longestMs: number, leastMs = minute): Window => {
    const lengthMs = Math.min(random.int(leastMs, longestMs), forMs);
    const fromMs = start + random.int(0, forMs - lengthMs);
    return { fromMs, untilMs: fromMs + lengthMs };
  };
  return from.flatMap(([probability, draw]) => (random.chance(probability) ? [draw(random, window)] : []));
}

/** The faults of one day that no rule expresses: they happen at a moment, to something that is there. Comes before the rules, which would strike its own question too. */
export async function scheduleMisfortunes(
  fleet: DeployedFleet,
  random: Random,
  forMs: number,
  types: readonly string[] = [],
): Promise<void> {
  const memory = await memoryOf(fleet);
  const sometimes = (probability: number, act: () => void) => {
    const at = random.int(0, forMs);
    if (random.chance(probability)) fleet.clock.after(at, act);
  };
  const limitedMs = random.int(5, 60) * minute;
  sometimes(0.4, () => useUpBudget(fleet, limitedMs));
  for (let time = 0; time < 3; time++) sometimes(0.3, () => loseMemory(fleet, memory));
  sometimes(0.3, () => garbleMemory(fleet, memory));
  for (const type of types) {
    const ofType = { ...memory, key: typeMemoryKey(type) };
    sometimes(0.2, () => loseMemory(fleet, ofType));
    sometimes(0.1, () => garbleMemory(fleet, ofType));
  }
}

/** The primary rate limit: another program with the same account has used the hour's requests. */
function useUpBudget(fleet: DeployedFleet, forMs: number): void {
  fleet.codeHost.limits.exhaustUntil(fleet.clock.now() + forMs);
  note(fleet, 'platform', 'rate-limit');
}

/** The object is gone; the functions must do without. */
function loseMemory(fleet: DeployedFleet, { bucket, key }: MemoryObject): void {
  fleet.world.operate.deleteObject(bucket, key);
  note(fleet, 's3', 'lost-memory');
}

/** The object is cut off in the middle, if there is one: that of a type goes with its type. */
function garbleMemory(fleet: DeployedFleet, { bucket, key }: MemoryObject): void {
  if (fleet.world.observe.object(bucket, key) === undefined) return;
  fleet.world.operate.putObject(bucket, key, Buffer.from('{"runners":{"pag'));
  note(fleet, 's3', 'garbled-memory');
}

type MemoryObject = Awaited<ReturnType<typeof memoryOf>>;

/** Where the functions keep their memory, from the environment that the template gave them. */
async function memoryOf({ world, groupName }: DeployedFleet) {
  const lambda = world.aws.directClient('lambda', { credentials: world.rootCredentials });
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionName(groupName, 'record_metric') });
  const { Environment }: GetFunctionConfigurationCommandOutput = await lambda.send(command);
  const env = Environment?.Variables ?? {};
  return { bucket: env[environment.memoryBucket] ?? '', key: env[environment.memoryKey] ?? '' };
}

function note(fleet: DeployedFleet, source: string, name: string): void {
  fleet.world.engine.journal.record({ kind: 'fault', source, name });
}

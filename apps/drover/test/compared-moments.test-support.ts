import type { Incident, Observation } from '@drover/observation/api';
import { expect } from 'vitest';
import type { LocalWorld } from '../../../packages/local/src/local/local-world.ts';
import type { deployWorld } from '../../../packages/local/test/local-world.test-support.ts';
import { droverOn, observeAs, roleWith, watcher } from './console-world.test-support.ts';
import { type Facts, factsOf, instancesNow } from './same-facts.test-support.ts';

const minute = 60_000;
const stack = 'drover-local';
const moments = 20;

/** As long as it takes to read everything once, and what changes often once more. */
const looks = 13;
const lookMs = 5_000;

type Deployed = Awaited<ReturnType<typeof deployWorld>>;

interface Struck {
  readonly instance: string;
  readonly by: 'fault' | 'hang' | 'request';
  readonly moment: number;
}

/** An act on the world at a moment. */
export type Act = (
  tools: Deployed & { strike(group: string, by?: Struck['by']): Promise<{ instance: string }> },
) => Promise<void>;

/** The faults of a campaign and what an operator does, in 20 moments. */
export const faultsOfADay: Readonly<Record<number, Act>> = {
  1: ({ control }) => control('queue-jobs', { count: 10, minutes: 12 }),
  2: async ({ control, strike }) => control('terminate-instance', await strike('runners', 'request')),
  4: async ({ control, strike }) => control('kill-node', await strike('search-data')),
  6: async ({ control, strike }) => control('break-instance', await strike('runners')),
  // Not while it is slow: a console then needs longer than a look to read everything.
  7: async ({ control, local }) => {
    await control('slow-network', { on: true });
    await local.clock.advance(5 * minute);
    await control('slow-network', { on: false });
  },
  9: ({ control }) => control('platform-down', { on: true }),
  10: ({ control }) => control('platform-down', { on: false }),
  11: ({ control }) => control('start-refresh', { group: 'search-data' }),
  13: async ({ control, strike }) => control('hang-instance', await strike('runners', 'hang')),
  14: ({ control }) => control('queue-jobs', { count: 6, minutes: 20 }),
  15: ({ control }) => control('lose-zone', { zone: 'eu-west-1a', lost: true }),
  16: ({ control }) => control('lose-zone', { zone: 'eu-west-1a', lost: false }),
  18: ({ control }) => control('set-desired', { group: 'runners', capacity: 5 }),
};

/**
 * At 20 moments, or every second of them, a console is opened with a role that has the printed policy alone, and what it shows is compared with the world.
 * Nothing that both can know may differ, no call may be refused, and no more than two calls a second may go to AWS.
 */
export async function compareMoments(
  deployed: Deployed,
  {
    gapMinutes,
    acts,
    lookEvery = 1,
  }: { readonly gapMinutes: number; readonly acts: Readonly<Record<number, Act>>; readonly lookEvery?: number },
): Promise<{ readonly calls: number; readonly hours: number }> {
  const { local } = deployed;
  const began = local.clock.now();
  const { stdout: policy } = await droverOn(local, 'console', '--stack', stack, '--print-policy');
  const login = await roleWith(local, policy);
  const { calls, refused } = callsOfWatcher(local);
  const struck: Struck[] = [];
  let moment = 0;
  const strike = async (group: string, by: Struck['by'] = 'fault') => {
    const serving = () =>
      [...local.world.observe.group(group)!.members.values()].find(({ state }) => state === 'InService')?.instanceId;
    if (!(await local.clock.runUntil(() => serving() !== undefined, 30 * minute))) throw new Error(`${group} is empty`);
    struck.push({ instance: serving()!, by, moment });
    return { instance: serving()! };
  };

  const different: string[] = [];
  const compared = new Set<Struck>();
  let lookedAt = began;
  for (; moment < moments; moment++) {
    await local.clock.advance(gapMinutes * minute);
    await acts[moment]?.({ ...deployed, strike });
    if ((moment + 1) % lookEvery !== 0) continue;
    const both = await lookBoth(local, await local.fleet.drive(login(), minute));
    // Both keep their newest incidents only: each is compared as soon as it had ended a moment ago, or at the end.
    const isLast = moment === moments - 1;
    const hadEnded = (one: Struck) =>
      (incidentOf(local.watch.incidents.newestFirst, one)?.endedAt ?? Infinity) < lookedAt;
    const due = struck.filter((one) => !compared.has(one) && (isLast || hadEnded(one)));
    for (const one of due) compared.add(one);
    lookedAt = local.clock.now();
    different.push(
      ...differences(moment, both),
      ...notRead(moment, both.account),
      ...due.flatMap((one) => otherIncident(local, both.account, one)),
    );
  }

  expect(different).toEqual([]);
  expect(refused).toEqual([]);
  expect(calls.length).toBeGreaterThan(500);
  expect(calls.filter((at, index) => at - (calls[index - 2] ?? Number.NEGATIVE_INFINITY) < 1_000)).toEqual([]);
  return { calls: calls.length, hours: (local.clock.now() - began) / (60 * minute) };
}

/** When the console called AWS, and what was refused to it. */
function callsOfWatcher({ world }: LocalWorld) {
  const calls: number[] = [];
  const refused: string[] = [];
  world.engine.journal.subscribe(({ kind, source, name, detail, at }) => {
    if (kind !== 'request' || !source.startsWith('aws.') || !String(detail?.by).startsWith(`${watcher}/`)) return;
    calls.push(at);
    if (/AccessDenied/.test(String(detail?.error))) refused.push(`${source} ${name}`);
  });
  return { calls, refused };
}

/** The view of a console that is opened now, after a while, and those of the world in that time. */
async function lookBoth(local: LocalWorld, role: Parameters<typeof observeAs>[1]) {
  const observer = await observeAs(local, role, [stack]);
  observer.start();
  const seen: Facts[] = [];
  const lost = new Set<string>();
  const over = new AbortController();
  const follow = async () => {
    while (!over.signal.aborted) {
      await observer.next(over.signal);
      seen.push(instancesNow(local));
    }
  };
  void follow().catch(() => {});
  for (let look = 0; look < looks; look++) {
    await local.clock.advance(lookMs);
    const state = await local.readState(look % (looks - 1) === 0);
    seen.push(factsOf(state));
    for (const job of state.fleet.jobs) if (job.state === 'lost') lost.add(`job ${job.id}`);
  }
  const account = await observer.latest();
  over.abort();
  observer.stop();
  return { account, seen, lost };
}

/** Facts of the account that were not so in the world at any time of the look, and facts of the world that it does not show. */
function differences(
  moment: number,
  { account, seen, lost: lostInWorld }: Awaited<ReturnType<typeof lookBoth>>,
): string[] {
  const samples = seen.filter((one) => one.has('cluster'));
  const shown = factsOf(account);
  const platformRead = account.readings.some(({ what, readAt }) => what === 'GitHub: runners' && readAt !== undefined);
  // When a job is lost, GitHub, the agent and Auto Scaling find out one after the other.
  const lost = new Set(account.fleet.jobs.filter(({ state }) => state === 'lost').map(({ id }) => `job ${id}`));
  const known = (name: string) =>
    (platformRead || !name.startsWith('runner ')) && !lost.has(name) && !lostInWorld.has(name);
  return [
    ...[...shown]
      .filter(([name, value]) => known(name) && !seen.some((one) => one.get(name) === value))
      .filter(
        ([name, value]) =>
          !isPassing(
            value,
            seen.map((one) => one.get(name)),
          ),
      )
      .map(
        ([name, value]) => `${moment}: ${name} is ${value}, not ${[...new Set(samples.map((one) => one.get(name)))]}`,
      ),
    ...[...samples[0]!.keys()]
      .filter((name) => known(name) && !shown.has(name) && samples.every((one) => one.has(name)))
      .map((name) => `${moment}: ${name} is not shown`),
  ];
}

/** Auto Scaling leaves these states at once: the account may see one that lies between two samples of the world. */
const passingState = /"lifecycleState":"(Pending|Pending:Proceed|Terminating|Terminating:Proceed)"/;
const withoutState = (value: string | undefined) => value?.replace(/"lifecycleState":"[^"]*"/, '');

function isPassing(value: string, sampled: readonly (string | undefined)[]): boolean {
  const states = new Set(sampled.filter((one) => withoutState(one) === withoutState(value)));
  return passingState.test(value) && states.size > 1;
}

/** Parts that a console asks for last, and seldom. */
const slow = /^(doctor|cost|CloudWatch)/;

/** Everything else is read by then, but GitHub while it is down. */
const notRead = (moment: number, { readings, platform }: Observation): string[] =>
  readings
    .filter(({ readAt, problem }) => readAt === undefined || problem !== undefined)
    .filter(
      ({ what, problem }) =>
        !(platform.down && what.startsWith('GitHub')) && (problem !== undefined || !slow.test(what)),
    )
    .map(({ what, problem }) => `${moment}: ${what} not read: ${problem}`);

/**
 * An instance that was struck has its incident, ended as in the world. In jobs mode every instance is ended by request, also one that
 * hangs, by the fleet's own function: to the account that is none.
 */
function otherIncident(local: LocalWorld, account: Observation, struck: Struck): string[] {
  const { instance, by, moment } = struck;
  const [seen, known] = [account.incidents, local.watch.incidents.newestFirst].map((all) => incidentOf(all, struck));
  if (by !== 'fault' && local.liveInputs.fleet.scalingMode === 'jobs') return [];
  const ended = [seen, known].map((incident) => incident?.endedAt !== undefined);
  return ended[0] === ended[1]
    ? []
    : [`${moment}: the incident of ${instance} has ended: ${ended[0]}, not ${ended[1]}`];
}

const incidentOf = (incidents: readonly Incident[], { instance }: Struck): Incident | undefined =>
  incidents.find(({ title }) => title.includes(instance));

import type { Observation } from '@drover/console/api';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import type { LocalWorld } from '../src/local/local-world.ts';
import { droverOn, observeAs, roleWith, watcher } from './console-world.test-support.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';
import { type Facts, factsOf, instancesNow } from './same-facts.test-support.ts';

const minute = 60_000;
const stack = 'drover-local';
let deployment: Deployment;

beforeAll(async () => {
  deployment = await exampleDeployment();
}, 300_000);

/** As long as it takes to read everything once, and what changes often once more. */
const looks = 13;
const lookMs = 5_000;

/** What a console that is opened now shows after a while, and what the world showed in that time. */
async function lookBoth(local: LocalWorld, role: Parameters<typeof observeAs>[1]) {
  const observer = await observeAs(local, role, [stack]);
  observer.start();
  const seen: Facts[] = [];
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
    seen.push(factsOf(await local.readState(look % (looks - 1) === 0)));
  }
  const account = await observer.latest();
  over.abort();
  observer.stop();
  return { account, seen };
}

/** Facts of the account that were not so in the world at any time of the look, and facts of the world that it does not show. */
function differences(moment: number, account: Observation, seen: readonly Facts[]): string[] {
  const samples = seen.filter((one) => one.has('cluster'));
  const shown = factsOf(account);
  const platformRead = account.readings.some(({ what, readAt }) => what === 'GitHub: runners' && readAt !== undefined);
  const lost = new Set(account.fleet.jobs.filter(({ state }) => state === 'lost').map(({ id }) => `job ${id}`));
  const known = (name: string) => (platformRead || !name.startsWith('runner ')) && !lost.has(name);
  return [
    ...[...shown]
      .filter(([name, value]) => known(name) && !seen.some((one) => one.get(name) === value))
      .map(
        ([name, value]) => `${moment}: ${name} is ${value}, not ${[...new Set(samples.map((one) => one.get(name)))]}`,
      ),
    ...[...samples[0]!.keys()]
      .filter((name) => known(name) && !shown.has(name) && samples.every((one) => one.has(name)))
      .map((name) => `${moment}: ${name} is not shown`),
  ];
}

describe('drover console', () => {
  it('with the printed policy alone, the console shows what the world shows at 20 moments of hours full of faults, by at most two AWS calls a second', async () => {
    const { local, control } = await deployWorld(deployment, { jobsPerHour: 20 });
    const { stdout: policy } = await droverOn(local, 'console', '--stack', stack, '--print-policy');
    const role = await roleWith(local, policy);
    const calls: number[] = [];
    const refused: string[] = [];
    local.world.engine.journal.subscribe(({ kind, source, name, detail, at }) => {
      if (kind !== 'request' || !source.startsWith('aws.') || !String(detail?.by).startsWith(`${watcher}/`)) return;
      calls.push(at);
      if (/AccessDenied/.test(String(detail?.error))) refused.push(`${source} ${name}`);
    });
    const serving = (group: string) =>
      [...local.world.observe.group(group)!.members.values()].find(({ state }) => state === 'InService')!.instanceId;
    const struck: string[] = [];
    const strike = (group: string) => {
      struck.push(serving(group));
      return { instance: struck.at(-1)! };
    };
    const acts: Readonly<Record<number, () => Promise<void>>> = {
      2: () => control('queue-jobs', { count: 10, minutes: 12 }),
      3: () => control('terminate-instance', strike('runners')),
      5: () => control('kill-node', strike('search-data')),
      7: () => control('break-instance', strike('runners')),
      9: () => control('platform-down', { on: true }),
      10: () => control('platform-down', { on: false }),
      11: () => control('start-refresh', { group: 'search-data' }),
      15: () => control('lose-zone', { zone: 'eu-west-1a', lost: true }),
      16: () => control('lose-zone', { zone: 'eu-west-1a', lost: false }),
      18: () => control('set-desired', { group: 'runners', capacity: 5 }),
    };

    const different: string[] = [];
    let account: Observation | undefined;
    for (let moment = 0; moment < 20; moment++) {
      await local.clock.advance(4 * minute);
      await acts[moment]?.();
      const both = await lookBoth(local, role);
      account = both.account;
      different.push(...differences(moment, account, both.seen));
      for (const { what, readAt, problem } of account.readings)
        if ((readAt === undefined || problem !== undefined) && !(account.platform.down && what.startsWith('GitHub')))
          different.push(`${moment}: ${what} not read: ${problem}`);
    }

    expect(different).toEqual([]);
    expect(refused).toEqual([]);
    // Every instance that was struck has its incident, ended as in the world.
    for (const instance of struck) {
      const [seen, known] = [account!.incidents, local.watch.incidents.newestFirst].map((all) =>
        all.find(({ title }) => title.includes(instance)),
      );
      expect([instance, seen?.endedAt !== undefined]).toEqual([instance, known?.endedAt !== undefined]);
    }
    expect(calls.length).toBeGreaterThan(500);
    expect(calls.filter((at, index) => at - (calls[index - 2] ?? Number.NEGATIVE_INFINITY) < 1_000)).toEqual([]);
  }, 600_000);
});

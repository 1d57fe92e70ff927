import type { Observation } from '@drover/console/api';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import { droverOn, observeAs, roleWith, watcher } from './console-world.test-support.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';
import { factsOf } from './same-facts.test-support.ts';

const minute = 60_000;
const stack = 'drover-local';
let deployment: Deployment;
let t = process.cpuUsage();
const lap = (what: string) => {
  console.log(what, (process.cpuUsage(t).user / 1e6).toFixed(1));
  t = process.cpuUsage();
};

beforeAll(async () => {
  deployment = await exampleDeployment();
  lap('synth');
}, 300_000);

describe('drover console', () => {
  it('with the printed policy alone, the console shows what the world shows at 20 moments of a day, by at most two AWS calls a second', async () => {
    const { local, control } = await deployWorld(deployment, { jobsPerHour: 20 });
    lap('deploy');
    const { stdout: policy } = await droverOn(local, 'console', '--stack', stack, '--print-policy');
    const role = await roleWith(local, policy);
    const calls: number[] = [];
    local.world.engine.journal.subscribe(({ kind, source, detail, at }) => {
      if (kind === 'request' && source.startsWith('aws.') && String(detail?.by).startsWith(`${watcher}/`))
        calls.push(at);
    });
    const runner = () =>
      [...local.world.observe.group('runners')!.members.values()].find(({ state }) => state === 'InService')!
        .instanceId;
    const dataNode = () =>
      [...local.world.observe.group('search-data')!.members.values()].find(({ state }) => state === 'InService')!
        .instanceId;
    const acts: Readonly<Record<number, () => Promise<void>>> = {
      2: () => control('queue-jobs', { count: 10, minutes: 12 }),
      3: () => control('terminate-instance', { instance: runner() }),
      5: () => control('kill-node', { instance: dataNode() }),
      7: () => control('break-instance', { instance: runner() }),
      9: () => control('platform-down', { on: true }),
      10: () => control('platform-down', { on: false }),
      11: () => control('start-refresh', { group: 'search-data' }),
      15: () => control('lose-zone', { zone: 'eu-west-1a', lost: true }),
      16: () => control('lose-zone', { zone: 'eu-west-1a', lost: false }),
      18: () => control('set-desired', { group: 'runners', capacity: 5 }),
    };
    for (let moment = 0; moment < 20; moment++) {
      await local.clock.advance(15 * minute);
      lap(`moment ${moment} world`);
      await acts[moment]?.();
      const observer = await observeAs(local, role, [stack]);
      observer.start();
      const seen: Observation[] = [];
      for (let s = 0; s < 18; s++) {
        await local.clock.advance(5_000);
        seen.push(await local.readState(s % 17 === 0));
      }
      const account = await observer.latest();
      observer.stop();
      lap(`moment ${moment} console`);
      const samples = seen.map(factsOf);
      for (const r of account.readings) if (r.problem !== undefined || r.readAt === undefined) console.log(r);
      let n = 0;
      for (const [name, value] of factsOf(account)) {
        n++;
        if (samples.some((one) => one.get(name) === value)) continue;
        console.log(moment, name, value.slice(0, 300), [
          ...new Set(samples.map((one) => one.get(name)?.slice(0, 300))),
        ]);
      }
      for (const name of samples.at(-1)!.keys()) if (!factsOf(account).has(name)) console.log(moment, 'missing', name);
      console.log(moment, n, 'facts', account.incidents[0]?.title, account.incidents[0]?.verdict);
    }
    const account = local.watch.incidents.newestFirst.map(({ title, verdict }) => [title, verdict.state]);
    console.log(account);
    const most = calls.map((at, i) => calls.slice(i, i + 10).filter((other) => other < at + 1_000).length);
    console.log(calls.length, Math.max(...most));
    expect(calls.length).toBeGreaterThan(100);
  }, 600_000);
});

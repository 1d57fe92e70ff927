import { expect, it } from 'vitest';
import { deployWorld, exampleDeployment } from '../../../packages/local/test/local-world.test-support.ts';
import { droverOn, observeAs, roleWith } from './console-world.test-support.ts';

const minute = 60_000;
const stack = 'drover-local';

it('a console that is opened in the morning, with the printed policy alone, shows what needs attention, the capacity of the night, one incident for a lost zone, and the cost', async () => {
  const { local, control } = await deployWorld(await exampleDeployment(), { jobsPerHour: 20 });
  await local.clock.advance(6 * minute);
  await control('lose-zone', { zone: 'eu-west-1a', lost: true });
  await local.clock.advance(20 * minute);
  const { stdout: policy } = await droverOn(local, 'console', '--stack', stack, '--print-policy');
  const login = await roleWith(local, policy);
  const observer = await observeAs(local, await local.fleet.drive(login(), minute), [stack]);
  const first = await observer.latest();
  expect(first.attention).toEqual({ well: 0, findings: [] });
  expect(first.readings.filter(({ readAt }) => readAt !== undefined)).toEqual([]);
  observer.start();
  await local.clock.advance(3 * minute);
  const { readings, attention, fleet, incidents, cost, clock } = await observer.latest();
  observer.stop();

  expect(readings.filter(({ readAt, problem }) => readAt === undefined || problem !== undefined)).toEqual([]);
  expect(attention!.well).toBeGreaterThan(20);
  expect(attention!.findings.filter(({ verdict }) => verdict === 'unknown')).toEqual([]);
  const doctors = await Promise.all(
    ['fleet', 'cluster'].map(async (of) => {
      const { stdout } = await droverOn(local, of, 'doctor', '--stack', stack, '--format', 'json');
      return (JSON.parse(stdout).findings as { verdict: string; check: string }[])
        .filter(({ verdict }) => verdict === 'problem' || verdict === 'notice')
        .map(({ check }) => `${of} ${check}`);
    }),
  );
  const shown = attention!.findings.map(({ subject, check }) => `${subject} ${check}`);
  expect([...shown].sort()).toEqual(doctors.flat().sort());

  const night = fleet.history.filter(({ at }) => at < clock.now - 5 * minute);
  expect(night.length).toBeGreaterThanOrEqual(4);
  expect(night.some(({ busy, idle }) => busy + idle > 0)).toBe(true);
  expect(fleet.history.map(({ at }) => at)).toEqual(fleet.history.map(({ at }) => at).sort((a, b) => a - b));

  const gone = incidents.filter(({ kind, title }) => kind === 'fault' && /^(i-|\d+ instances)/.test(title));
  expect(gone.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^\d+ instances in eu-west-1a failed: \d+ of \w+/),
  ]);
  expect(cost).toMatchObject({ currency: 'USD', from: expect.any(Number) });
  expect(cost!.total).toBeGreaterThan(0);
}, 600_000);

import { expect, it } from 'vitest';
import { findLifeCalls, lifeCases, playLifeCase } from './crash-in-fleet-life.ts';

/** What one runner's life has too is played in full by crash-at-every-call. */
const onlyHere =
  /DescribeWarmPool|SetInstanceHealth|PutSecretValue|runners_deregistration.*(SetInstanceProtection|CompleteLifecycleAction|DeleteSecret|ListSecrets)|runners_registration.*(Heartbeat|PutMetricData|PutObject|GET )/;

it('a fleet with a warm pool, an outage, a dead host and sweeps survives a fault at each call that one runner alone does not make', {
  timeout: 600_000,
}, async () => {
  const calls = await findLifeCalls();
  const cases = lifeCases(calls.map((call) => ({ ...call, times: 1 })));
  // One way for each call, another one each time: `npm run campaign -- --scenario crash` plays all of them.
  const chosen = cases.filter(({ name }, index) => onlyHere.test(name) && index % 5 === Math.floor(index / 5) % 5);
  // Three to a life, from different parts of it; the campaign plays a life for each.
  const lives = Math.ceil(chosen.length / 3);
  const shared = chosen.slice(0, lives).map((_, life) => chosen.filter((_, index) => index % lives === life));

  const results = [];
  for (const some of shared)
    results.push(
      await playLifeCase({
        name: some.map(({ name }) => name).join(', '),
        rules: some.flatMap(({ rules }) => rules),
      }),
    );

  console.log(
    `crash in a fleet's life: ${calls.length} calls found, ${chosen.length} of ${cases.length} cases played in ${lives} lives`,
  );
  expect(chosen.length).toBeGreaterThan(10);
  expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
  expect(results.flatMap(({ missed }) => missed)).toEqual([]);
});

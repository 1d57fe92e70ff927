import { expect, it } from 'vitest';
import { type FleetLife, findLifeCalls, lifeCases, playLifeCase } from './crash-in-fleet-life.ts';

const thorough = process.env.DROVER_THOROUGH === '1';

/** Calls that one runner's life, or one job's, has too are played in full by crash-at-every-call. */
const onlyHere: Readonly<Record<FleetLife, RegExp>> = {
  life: /DescribeWarmPool|SetInstanceHealth|PutSecretValue|runners_deregistration.*(SetInstanceProtection|CompleteLifecycleAction|DeleteSecret|ListSecrets)|runners_registration.*(Heartbeat|PutMetricData|PutObject|GET )/,
  'image-life': /runners_image/,
  'jobs-life': /runners_demand.*(agents|DescribeWarmPool)/,
  // The second and later calls of a kind, too: the first of them is for spot instances alone.
  'spot-life': /runners_demand.*(SetDesiredCapacity|TerminateInstance|DescribeScalingActivities|repos)/,
  // On groups of types these calls have other rights, and the windows of all types share a lease.
  'types-life':
    /runners_demand.*(PutObject|DeleteObject|SetDesiredCapacity|TerminateInstance|DELETE .*runnerscalesets)|runners_deregistration.*(SendCommand|DeleteSecret|ListSecrets)|runners_registration.*CreateSecret/,
};

it.each([
  ['life', 'a fleet with a warm pool, an outage, a dead host and sweeps', 10, 3],
  ['image-life', 'a fleet whose images are baked by its function', 10, 3],
  ['jobs-life', 'a fleet in jobs mode with a warm pool, a dead host and a lost scale set', 2, 3],
  ['spot-life', 'a fleet whose spot capacity goes and comes back', 8, 3],
  ['types-life', 'a fleet with types, of which one is removed by a command that dies at each of its calls', 8, 5],
] as const)(
  '%s: %s survives a fault at each call that one runner or one job alone does not make',
  {
    timeout: 600_000,
  },
  async (life, _, least, faultsInLife) => {
    const calls = await findLifeCalls(life);
    const cases = lifeCases(
      calls.map((call) => ({ ...call, times: life === 'spot-life' ? Math.min(call.times, 6) : 1 })),
    );
    // One way for each call, another one each time: `npm run campaign -- --scenario crash` plays all of them, `npm run test:thorough` each call,
    // and `npm test` every third one.
    const every = cases.filter(
      ({ name }, index) => onlyHere[life].test(name) && index % 5 === Math.floor(index / 5) % 5,
    );
    const chosen = every.filter((_, index) => thorough || index % 3 === 0);
    // Several to a life, from different parts of it; the campaign plays a life for each.
    const lives = Math.ceil(chosen.length / faultsInLife);
    const shared = chosen.slice(0, lives).map((_, life) => chosen.filter((_, index) => index % lives === life));

    const results = [];
    for (const some of shared)
      results.push(
        await playLifeCase(life, {
          name: some.map(({ name }) => name).join(', '),
          rules: some.flatMap(({ rules }) => rules),
        }),
      );

    console.log(
      `crash in ${life}: ${calls.length} calls found, ${chosen.length} of ${cases.length} cases played in ${lives} lives`,
    );
    expect(every.length).toBeGreaterThan(least);
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(results.flatMap(({ missed }) => missed)).toEqual([]);
  },
);

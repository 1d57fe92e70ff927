import { describe, expect, it } from 'vitest';
import { fleetTroubles, playFleetTrouble } from './play-trouble.ts';
import { inputOf } from './printed-commands.ts';

/** All of them: `npm run campaign -- --scenario doctor --seeds 59`. */
const some = fleetTroubles.filter(({ check }) => /^(token-expires|scale-set-missing|instances-missing)$/.test(check));

describe('the printed remedy of a trouble', () => {
  it.each(some)('the remedy of $check makes drover fleet doctor find it well: $fix', async (trouble) => {
    expect((await playFleetTrouble(trouble)).violations).toEqual([]);
  });

  it('a remedy is reported when doctor does not name the trouble, or when it does not help', async () => {
    const [missing] = fleetTroubles.filter(({ check }) => check === 'instances-missing');
    const { violations } = await playFleetTrouble({ ...missing!, verdict: 'notice' });
    const unhealed = await playFleetTrouble({ ...missing!, remedy: async () => {}, withinMinutes: 10 });

    expect(violations).toEqual([expect.stringMatching(/^doctor says problem of instances-missing: 3 wanted/)]);
    expect(unhealed.violations).toEqual([
      expect.stringMatching(/^10 minutes after the remedy of instances-missing doctor says problem/),
    ]);
  });

  it('a printed command is typed as a request of AWS, with files that the operator has written and switches that are turned off', () => {
    const files = { 'file://token': 'ghp_1' };

    expect(inputOf(' --secret-id arn:1 --secret-string file://token', files)).toEqual({
      SecretId: 'arn:1',
      SecretString: 'ghp_1',
    });
    expect(inputOf(' --instance-id i-1 --no-should-respect-grace-period --scaling-processes Launch', {})).toEqual({
      InstanceId: 'i-1',
      ShouldRespectGracePeriod: false,
      ScalingProcesses: ['Launch'],
    });
  });
});

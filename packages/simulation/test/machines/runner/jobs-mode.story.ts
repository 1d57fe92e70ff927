import { tokenSecretName } from '@drover/core/names/runner-fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

let fleet: LinuxFleet;
let first: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({ scalingMode: 'jobs', asgMinSize: 0, idleRunnersTargetCount: 1 });
  first = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

const directory = '/opt/actions-runner';
const lifeFile = '/var/lib/cloud/instance/runner-life';
const inService = (id: string) => fleet.stateOf(id) === 'InService';

/** A fleet in jobs mode, whose hosts the tests follow in this order. */
describe('jobs mode on real machines', () => {
  it('a host of jobs mode has the files of its just-in-time configuration for the runner alone, and its secret is gone', async () => {
    await fleet.untilSeconds('it is in service', () => inService(first), 60);
    const files = await fleet.run(first, `cd ${directory} && stat --format '%n %U %a' .runner .credentials*`);
    expect(files.split('\n').sort()).toEqual([
      '.credentials actions-runner 600',
      '.credentials_rsaparams actions-runner 600',
      '.runner actions-runner 600',
    ]);
    expect(await fleet.run(first, `cat ${lifeFile}`)).toBe('started');
    expect(await fleet.run(first, 'systemctl --failed --no-legend --plain')).toBe('');
    expect(fleet.fleet.world.observe.secretNames()).not.toContain(tokenSecretName('runners', first));
  });

  it('a host of jobs mode serves one job with its hooks, its listener deletes the files and ends with 0, and the instance goes', async () => {
    const job = fleet.job(10, 'id --user --name');
    await fleet.untilJob(job, 'running', 60);
    await fleet.untilRuns('the agent has seen the Worker', first, `grep --quiet served ${lifeFile}`, 30);
    await fleet.untilJob(job, 'completed', 60);
    expect(await fleet.outputOf(job)).toBe('actions-runner');
    await fleet.untilRuns('the listener ended', first, '! systemctl is-active --quiet actions-runner', 30);
    const end = await fleet.run(
      first,
      `systemctl show --property=ExecMainStatus --value actions-runner; ls -A ${directory} | grep --extended-regexp '^\\.(runner|cred)' || echo none
       journalctl --unit=actions-runner --identifier=runner-hook --output=cat | grep --only-matching --extended-regexp 'job-(started|completed)' | sort --unique`,
    );
    expect(end.split('\n')).toEqual(['0', 'none', 'job-completed', 'job-started']);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: first });
    await fleet.untilSeconds('it is off', () => !fleet.running.includes(first), 120);
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(first) === 'gone', 60);
  });

  it('the next job runs on another host, which finishes it although it is terminated while the job runs', async () => {
    const job = fleet.job(60);
    await fleet.untilJob(job, 'running', 240);
    const second = job.runnerName!;
    expect(second).not.toBe(first);
    await fleet.terminate(second, false);
    await fleet.untilSeconds('the drain began', () => fleet.stateOf(second).startsWith('Terminating'), 30);
    await fleet.untilJob(job, 'completed', 120);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: second });
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(second) === 'gone', 120);
    expect(fleet.fleet.codeHost.registry.runners.map(({ name }) => name)).not.toContain(second);
  });
});

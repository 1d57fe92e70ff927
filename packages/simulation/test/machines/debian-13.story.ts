import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { debian13Filesystem } from './linux/image.ts';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({}, { filesystem: debian13Filesystem });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

/**
 * Things that a newer distribution may break: systemd 257, Puppet 8, cloud-init 25, nftables 1.1. The rest of a life is
 * in life.story.ts.
 */
describe('a runner on Debian 13', () => {
  it('a runner on Debian 13 is in service with no failed unit, and a second Puppet run changes nothing', async () => {
    expect(await fleet.run(id, '. /etc/os-release; echo $VERSION_ID')).toBe('13');
    expect(fleet.stateOf(id)).toBe('InService');
    expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
    const before = await fleet.run(id, 'wc -l < /var/log/puppet.log');
    await fleet.run(id, '/opt/drover/bin/configure');
    const log = await fleet.run(id, `tail -n +${Number(before) + 1} /var/log/puppet.log`);
    expect(log.split('\n').filter((line) => /\/Stage\[main\]/.test(line))).toEqual([]);
    expect(log).toContain('Applied catalog');
  });

  it('a job on Debian 13 cannot reach the metadata of the instance, also after a reload of nftables', async () => {
    const ask = 'curl --silent --max-time 5 http://169.254.169.254/ || echo "curl $?"';
    await fleet.run(id, 'systemctl start nftables && systemctl reload nftables');
    const job = fleet.job(1, ask);
    await fleet.untilJob(job, 'completed', 60);
    expect(job).toMatchObject({ result: 'succeeded' });
    expect(await fleet.outputOf(job)).toMatch(/^curl 7$/m);
  });

  it('a runner on Debian 13 that is terminated during a job finishes it and powers off', async () => {
    const job = fleet.job(20);
    await fleet.untilJob(job, 'running', 60);
    await fleet.terminate(id, false);
    await fleet.untilJob(job, 'completed', 90);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(id) === 'gone', 300);
    expect(fleet.running).not.toContain(id);
  });
});

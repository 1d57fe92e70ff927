import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareDebian13Filesystem, bareFilesystem } from '../linux/image.ts';
import { LinuxFleet } from '../linux/linux-fleet.ts';

const releases = [
  { release: '12', imageFamily: 'debian-12', filesystem: bareFilesystem },
  { release: '13', imageFamily: 'debian-13', filesystem: bareDebian13Filesystem },
] as const;

describe.each(releases)(
  'the first boot of Debian $release as its image for clouds is',
  ({ release, imageFamily, filesystem }) => {
    let fleet: LinuxFleet;
    let id: string;

    beforeAll(async () => {
      const inputs = {
        imageFamily,
        runnerVersion: 'latest',
        packages: ['jq'],
        postRuncmd: ['jq --null-input --raw-output 1+1 > /etc/story', 'command -v puppet >> /etc/story'],
      };
      fleet = await LinuxFleet.deploy(inputs, { filesystem, archives: true });
      id = await fleet.oneOnline(600);
    });
    afterAll(async () => await fleet?.end());

    it('a machine without Puppet and curl installs what it needs from the archive, and comes into service', async () => {
      expect(await fleet.run(id, '. /etc/os-release; echo $VERSION_ID')).toBe(release);
      expect(fleet.stateOf(id)).toBe('InService');
      const programs = 'for name in puppet curl jq nft git; do command -v $name > /dev/null || echo "no $name"; done';
      expect(await fleet.run(id, programs)).toBe('');
      expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
    });

    it('it has the newest version of the runner, from the mirror of the fleet', async () => {
      const { releases } = fleet.fleet.codeHost.registry;
      const fact = await fleet.run(id, 'cat /etc/puppetlabs/facter/facts.d/drover_release.json');
      expect(JSON.parse(fact)).toMatchObject({ drover_release: { version: releases.latest.version } });
      expect(await fleet.run(id, 'cut --delimiter=" " --fields=1 /var/lib/drover/runner')).toBe(
        releases.latest.version,
      );
    });

    it('the commands of post_runcmd ran after everything was installed', async () => {
      expect(await fleet.run(id, 'cat /etc/story')).toBe('2\n/usr/bin/puppet');
    });

    it('a second Puppet run changes nothing there, and a job cannot reach the metadata of the instance', async () => {
      const before = await fleet.run(id, 'wc -l < /var/log/puppet.log');
      await fleet.run(id, '/opt/drover/bin/configure');
      const log = await fleet.run(id, `tail -n +${Number(before) + 1} /var/log/puppet.log`);
      expect(log.split('\n').filter((line) => /\/Stage\[main\]/.test(line))).toEqual([]);
      const job = fleet.job(1, 'curl --silent --max-time 5 http://169.254.169.254/ || echo "curl $?"');
      await fleet.untilJob(job, 'completed', 60);
      expect(await fleet.outputOf(job)).toBe('curl 7');
    });
  },
);

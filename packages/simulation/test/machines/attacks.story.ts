import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy();
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

const agent = '$(systemctl show --property=MainPID --value runner-agent)';
const get = 'curl --silent --fail --max-time 5 --output /dev/null';
const token = '--request PUT --header "x-aws-ec2-metadata-token-ttl-seconds: 60"';

/** Shell commands that succeed if the attack does, by what they attack. */
const attacks: Readonly<Record<string, string>> = {
  'the metadata by the first version of its protocol': `${get} http://169.254.169.254/latest/meta-data/`,
  'the metadata by the second version': `${get} ${token} http://169.254.169.254/latest/api/token`,
  'the metadata by a mapped address': `${get} ${token} 'http://[::ffff:169.254.169.254]/latest/api/token'`,
  'the metadata by a decimal address': `${get} ${token} http://2852039166/latest/api/token`,
  'the metadata as root of a user namespace': `unshare --user --map-root-user ${get} ${token} http://169.254.169.254/latest/api/token`,
  'the environment of the agent': `cat /proc/${agent}/environ`,
  'the memory of the agent': `head --bytes=1 /proc/${agent}/mem`,
  'the open files of the agent': `ls /proc/${agent}/fd`,
  'the user data': 'cat /var/lib/cloud/instance/user-data.txt',
  'the user data as cloud-init notes it': 'cat /run/cloud-init/instance-data-sensitive.json',
  'the memory of cloud-init': 'cat /var/lib/cloud/instance/obj.pkl',
  'an end of the agent': `kill -KILL ${agent}`,
  'a stop of the agent': `kill -STOP ${agent}`,
  'the unit of the agent': 'systemctl stop runner-agent',
  'the unit of the firewall': 'systemctl stop drover-metadata-firewall',
  'the rules of the firewall': 'nft delete table inet drover_metadata',
  'the power of the machine': 'systemctl poweroff || shutdown -h now',
  'a life after the job by systemd': 'loginctl enable-linger',
  'a life after the job by cron': 'echo "* * * * * true" | crontab -',
  'the rights of root by sudo': 'sudo --non-interactive true',
  'the journal of the agent': 'journalctl --unit=runner-agent --lines=1 --output=cat | grep --quiet .',
  'a program with rights of its owner that no package has': `find / -xdev -type f -perm /6000 2>/dev/null | grep --invert-match ^/proc |
    while read -r file; do dpkg --search "$file" > /dev/null 2>&1 || dpkg --search "\${file#/usr}" > /dev/null 2>&1 || echo "$file"; done | grep .`,
  'a program of the product':
    'for file in /opt/drover/bin/* /opt/drover/hooks/* /opt/node/bin/node; do [ -w "$file" ] && exit 0; done; false',
};

describe('a job of a runner on a real machine attacks its host', () => {
  it('no attack of a job on its host succeeds, and the agent goes on', async () => {
    const before = await fleet.run(id, `echo ${agent}`);
    const script = Object.entries(attacks).map(
      ([what, command]) => `( ${command} ) > /dev/null 2>&1 && echo "REACHED: ${what}"`,
    );
    const job = fleet.job(1, `${script.join('\n')}\necho attacks made`);
    await fleet.untilJob(job, 'completed', 180);

    const output = await fleet.outputOf(job);
    expect(output.split('\n').filter((line) => line.startsWith('REACHED'))).toEqual([]);
    expect(output).toContain('attacks made');
    expect(await fleet.run(id, `echo ${agent}`)).toBe(before);
    expect(await fleet.run(id, 'systemctl is-active actions-runner runner-agent drover-metadata-firewall')).toBe(
      'active\nactive\nactive',
    );
  });

  it('attacks of the list that only read reach their targets as root, so that they are known to be made', async () => {
    const harmless = Object.entries(attacks).filter(([what]) =>
      /^the (metadata by the second|environment|open files|user data|memory of cloud|journal)/.test(what),
    );
    for (const [what, command] of harmless) expect([what, (await fleet.try(id, command)).exitCode]).toEqual([what, 0]);
  });
});

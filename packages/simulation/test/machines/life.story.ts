import { ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  // One host: no other takes what is meant for it.
  fleet = await LinuxFleet.deploy({ asgMaxSize: 1 });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

const unitState = (unit: string) => fleet.run(id, `systemctl is-active ${unit} || true`);
const mainPid = (unit: string) => fleet.run(id, `systemctl show --property=MainPID --value ${unit}`);

/** Asks for a token of the metadata service as the jobs' user: the HTTP status, or curl's exit code. */
const askMetadata = `curl --silent --max-time 5 --output /dev/null --write-out '%{http_code}' --request PUT \
  --header 'x-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token || echo " curl $?"`;

/** One machine, whose life the tests follow in this order. */
describe('a runner on a real machine', () => {
  it('a launched runner is registered and in service, and its registration token is gone', async () => {
    expect(fleet.stateOf(id)).toBe('InService');
    expect(await unitState('actions-runner')).toBe('active');
    expect(await unitState('runner-agent')).toBe('active');
    expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
    // Not ListSecrets, which lags.
    expect(fleet.fleet.world.observe.secretNames()).not.toContain(tokenSecretName('runners', id));
  });

  it('a second Puppet run changes nothing', async () => {
    const before = await fleet.run(id, 'wc -l < /var/log/puppet.log');
    await fleet.run(id, '/opt/drover/bin/configure');
    const log = await fleet.run(id, `tail -n +${Number(before) + 1} /var/log/puppet.log`);
    expect(log.split('\n').filter((line) => /\/Stage\[main\]/.test(line))).toEqual([]);
    expect(log).toContain('Applied catalog');
  });

  it('a job runs by its steps and cannot reach the metadata of the instance', async () => {
    const job = fleet.job(1, `id --user --name; ${askMetadata}`);
    await fleet.untilJob(job, 'completed', 60);
    expect(job).toMatchObject({ result: 'succeeded' });
    expect(await fleet.outputOf(job)).toMatch(/^actions-runner\n000 curl 7$/m);
  });

  it.each(['start', 'reload', 'restart', 'stop', 'start'])(
    'after systemctl %s nftables jobs still cannot reach the role of the instance',
    async (verb) => {
      await fleet.run(id, `systemctl ${verb} nftables`);
      const { stdout } = await fleet.try(id, askMetadata, 'actions-runner');
      expect(stdout).toMatch(/^000 curl 7/);
      expect(await fleet.run(id, askMetadata)).toBe('200');
    },
  );

  it('an upgraded library restarts neither the runner nor the agent, although needrestart restarts others', async () => {
    const before = [await mainPid('actions-runner'), await mainPid('runner-agent'), await mainPid('cron')];
    // A new file replaces the old one, as with dpkg.
    const replaced = await fleet.run(
      id,
      `for library in $(ls /usr/lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libdl.so.2); do
         cp --preserve $library $library.new && mv $library.new $library; echo $library; done`,
    );
    expect(replaced).toContain('libc.so.6');
    const seen = await fleet.run(id, 'needrestart -b -l');
    expect(seen).toContain('NEEDRESTART-SVC: actions-runner.service');
    await fleet.try(id, 'needrestart -l');
    const after = [await mainPid('actions-runner'), await mainPid('runner-agent'), await mainPid('cron')];
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toBe(before[2]);
  });

  it('a job that plants files for root does not become root', async () => {
    const plant = `for file in /opt/actions-runner/bin/Runner.Listener /opt/actions-runner/bin/installdependencies.sh \
        /opt/actions-runner/config.sh /opt/actions-runner/run.sh /opt/drover/bin/configure /opt/drover/hooks/job-started.sh \
        /etc/drover/metadata-firewall.nft /etc/runner-agent/config.json /var/lib/drover/runner; do
        (echo '#!/bin/sh\ntouch /root/planted' > $file) 2>/dev/null && echo "wrote $file"
        (mv $file $file.mine && touch $file) 2>/dev/null && echo "moved $file"
      done
      mkdir -p /opt/actions-runner/_work/x && ln -s /root /opt/actions-runner/_work/x/x; ln -sf /root/planted /opt/actions-runner/svc.sh
      printf 'PATH=/tmp/planted:%s\\nLD_PRELOAD=/tmp/planted/x.so\\nNODE_OPTIONS=--require=/tmp/planted/x.js\\n' "$PATH" >> /opt/actions-runner/.env
      mkdir -p /tmp/planted; for name in systemctl nft node sh bash id; do printf '#!/bin/sh\\ntouch /root/planted\\n' > /tmp/planted/$name; done
      chmod +x /tmp/planted/*; true`;
    const job = fleet.job(1, plant);
    await fleet.untilJob(job, 'completed', 60);
    expect(await fleet.outputOf(job)).not.toMatch(/wrote|moved/);
    await fleet.run(id, '/opt/drover/bin/configure');
    await fleet.run(id, 'systemctl restart runner-agent && sleep 5');
    expect(await fleet.run(id, 'ls -A /root')).not.toContain('planted');
    await fleet.run(id, 'rm -rf /opt/actions-runner/.env /opt/actions-runner/_work/x /tmp/planted');
  });

  it('a job that writes to the journal makes no metrics, no line of the agent and no event but its own', async () => {
    const metric = { Namespace: 'Production/Payments', Dimensions: [[]], Metrics: [{ Name: 'Errors' }] };
    const line = JSON.stringify({ _aws: { CloudWatchMetrics: [metric] }, Errors: 1 });
    // It stays for a while, so that journald still finds the unit of who wrote the entry.
    const send =
      'import socket, sys, time; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.stdin.buffer.read(), "/run/systemd/journal/socket"); time.sleep(2)';
    const job = fleet.job(
      1,
      `line='${line}'; hook='{"hook":"job-started","repository":"victim/other"}'
       for name in runner-agent runner-hook actions-runner; do
         printf '%s\\n' "$line" "$hook" 'Job x completed with result: Failed' 'Running job: forged' | systemd-cat --identifier=$name
         printf 'UNIT=runner-agent.service\\nSYSLOG_IDENTIFIER=%s\\nMESSAGE=FORGED %s\\n' $name "$line" | python3 -c '${send}'
       done; sleep 4`,
    );
    await fleet.untilJob(job, 'completed', 60);
    const logs = async (stream: string): Promise<readonly string[]> => {
      const group = { logGroupName: '/drover/runners/runners', logStreamNames: [`${id}/${stream}`] };
      const pages = paginateFilterLogEvents({ client: fleet.aws.logs }, group);
      const lines: string[] = [];
      for await (const { events = [] } of pages) lines.push(...events.map(({ message = '' }) => message));
      return lines;
    };
    const events = async () =>
      (await logs('jobs')).map((text) => JSON.parse(text) as { event: string; repository: string; runId: string });
    for (let looks = 0; (await events()).filter(({ runId }) => runId === String(job.id)).length < 2; looks++) {
      expect(looks, 'the events of the job').toBeLessThan(60);
      await fleet.run(id, 'sleep 1');
    }
    const own = (await events()).filter(({ runId }) => runId === String(job.id));
    expect(own).toMatchObject([{ event: 'job-started' }, { event: 'job-completed', result: 'Succeeded' }]);
    expect(JSON.stringify(await events())).not.toContain('victim');
    expect((await logs('runner')).join()).toContain('FORGED');
    expect((await logs('agent')).join()).not.toContain('FORGED');
    const { Metrics } = await fleet.aws.cloudwatch.send(new ListMetricsCommand({ Namespace: metric.Namespace }));
    expect(Metrics).toEqual([]);
  });

  it('a job that puts a FIFO into the place of a file does not stop the agent, and an agent that hangs is started again', async () => {
    const agent = async () => [await mainPid('runner-agent'), await unitState('runner-agent')];
    const before = await agent();
    const plant =
      'cd /opt/actions-runner && mv .runner .runner.was && mkfifo .runner && pkill --signal INT --full bin/[R]unner.Listener';
    expect(await fleet.try(id, plant, 'actions-runner')).toMatchObject({ exitCode: 0 });
    const lines = "journalctl --unit=runner-agent --output=cat | grep --count 'the listener has ended'";
    await fleet.untilRuns('the agent saw the end of the listener', id, lines, 30);
    // Long enough for the round that asks whether the runner is configured.
    await fleet.run(id, 'sleep 15');
    expect(
      await fleet.run(id, `grep --fixed-strings --quiet wait_for_partner /proc/${before[0]}/wchan || echo runs`),
    ).toBe('runs');
    await fleet.run(id, 'cd /opt/actions-runner && rm .runner && mv .runner.was .runner');
    await fleet.untilRuns('the listener runs again', id, 'systemctl is-active --quiet actions-runner', 120);
    expect(await agent()).toEqual(before);

    const dropIn = '/run/systemd/system/runner-agent.service.d';
    await fleet.run(
      id,
      `mkdir ${dropIn} && printf '[Service]\\nWatchdogSec=8\\n' > ${dropIn}/story.conf && systemctl daemon-reload`,
    );
    await fleet.run(id, 'systemctl restart runner-agent && sleep 12');
    const [pid] = await agent();
    expect(await fleet.run(id, 'systemctl show --property=NRestarts --value runner-agent')).toBe('0');
    await fleet.run(id, `kill -STOP ${pid}`);
    await fleet.untilRuns(
      'another agent runs',
      id,
      `test $(systemctl show --property=MainPID --value runner-agent) -gt ${pid}`,
      60,
    );
    await fleet.run(id, `rm -r ${dropIn} && systemctl daemon-reload && systemctl restart runner-agent`);
    await fleet.untilSeconds('its runner is online', () => fleet.online.includes(id), 240);
  });

  it('a rebooted machine has its firewall, its agent and its runner again, under the same registration', async () => {
    const own = () => fleet.fleet.codeHost.registry.runners.find(({ name }) => name === id)?.id;
    const before = own();
    const boots = fleet.machine(id).bootCount;
    await fleet.try(id, 'systemctl reboot');
    await fleet.untilSeconds('it has booted again', () => fleet.machine(id).bootCount === boots + 1, 60);
    await fleet.untilRuns('the listener runs', id, 'systemctl is-active --quiet actions-runner', 90);
    await fleet.untilSeconds('its runner is online', () => fleet.online.includes(id), 120);
    expect(own()).toBe(before);
    expect((await fleet.try(id, askMetadata, 'actions-runner')).stdout).toMatch(/^000 curl 7/);
    expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
  });

  it('a machine that is terminated during a job finishes it, is deregistered and powers off', async () => {
    const job = fleet.job(30);
    await fleet.untilJob(job, 'running', 60);
    await fleet.terminate(id, false);
    await fleet.untilSeconds('the drain began', () => fleet.stateOf(id).startsWith('Terminating'), 30);
    await fleet.untilJob(job, 'completed', 90);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    await fleet.untilSeconds(
      'its runner is removed',
      () => !fleet.fleet.codeHost.registry.runners.some(({ name }) => name === id),
      240,
    );
    await fleet.untilSeconds('it is off', () => !fleet.running.includes(id), 240);
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(id) === 'gone', 120);
  });
});

import { writeFileSync } from 'node:fs';
import { SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import type { HttpHandler } from '@drover/cloud-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BootTimes, bootTimes } from './linux/boot-times.ts';
import { LinuxFleet } from './linux/linux-fleet.ts';
import { say } from './linux/linux-world.ts';

const boots = Number(process.env.DROVER_BOOTS ?? 2);
const inputs = { asgMinSize: 1, asgMaxSize: 60 };

let fleet: LinuxFleet;
/** The disk of the machine that was baked; machines start from it. */
let image: readonly string[] = [];
/** The tag of a machine that is launched next. */
let tag: 'bake' | 'trial' | undefined;
/** Requests of the last machine for objects, and reports of images. */
const fetched: string[] = [];
const reports: Record<string, unknown>[] = [];

const tagged = (_: string, http: HttpHandler): HttpHandler => {
  return async (request) => {
    const path = decodeURIComponent(request.path);
    if (tag !== undefined && path.endsWith(`/tags/instance/drover:${tag}`))
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'b-1' };
    if (request.method === 'GET' && /amazonaws|github/.test(request.host)) fetched.push(path);
    if (request.method === 'PUT' && path.includes('/image/b-1/'))
      reports.push(JSON.parse(Buffer.from(request.body).toString()));
    return await http(request);
  };
};

/** Launches one more machine; those before it stand still, so that it has the computer for itself. */
async function launch(): Promise<string> {
  const before = fleet.running;
  for (const id of before) fleet.machine(id).freeze(true);
  await fleet.setDesired(fleet.group.desiredCapacity + 1);
  await fleet.untilSeconds('one more machine', () => fleet.running.some((id) => !before.includes(id)), 60);
  return fleet.running.find((id) => !before.includes(id))!;
}

async function boot(): Promise<BootTimes> {
  fetched.length = 0;
  const id = await launch();
  await fleet.untilSeconds('its runner is online', () => fleet.online.includes(id), 300);
  const times = await bootTimes(fleet, id);
  say(`${id} ${JSON.stringify(times)}`);
  return times;
}

/** A machine that reports and powers off. */
async function launchAs(
  mode: 'bake' | 'trial',
): Promise<{ readonly report: Record<string, unknown>; readonly disk: string }> {
  tag = mode;
  const { length } = reports;
  const id = await launch();
  const disk = fleet.machine(id).written;
  await fleet.untilSeconds('it is off', () => !fleet.running.includes(id), 400);
  tag = undefined;
  expect(fleet.online).not.toContain(id);
  expect(reports.length).toBe(length + 1);
  return { report: reports.at(-1)!, disk };
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy(inputs, { intercept: tagged, image: () => image });
  await fleet.oneOnline(300);
  // The group is to launch what the story asks for, and nothing else.
  await fleet.aws.autoscaling.send(
    new SuspendProcessesCommand({
      AutoScalingGroupName: 'runners',
      ScalingProcesses: ['AlarmNotification', 'HealthCheck', 'ReplaceUnhealthy', 'AZRebalance', 'Terminate'],
    }),
  );
});
afterAll(async () => await fleet?.end());

/** One fleet without and with baked images; the tests follow in this order. */
describe('an image of a host', () => {
  const unbaked: BootTimes[] = [];
  const baked: BootTimes[] = [];

  it('hosts boot without an image', async () => {
    for (let count = 0; count < boots; count++) unbaked.push(await boot());
    expect(fetched.some((path) => path.endsWith('.tar'))).toBe(true);
  });

  it('a host becomes an image without a trace of itself', async () => {
    await fleet.change({ bakedImage: true, extraLabels: ['baked'] });
    const { report, disk } = await launchAs('bake');
    expect(report).toEqual({ baked: true, manifest: expect.objectContaining({ facts: expect.any(String) }) });
    image = [disk];
  });

  it('a host on trial of the image can serve and does not register', async () => {
    const { report } = await launchAs('trial');
    expect(report).toEqual({ served: true, bootSeconds: expect.any(Number) });
  });

  it('a host of the image fetches nothing that is in it and runs no Puppet', async () => {
    baked.push(await boot());
    const id = fleet.online.at(-1)!;
    expect(fetched.filter((path) => /\.(tar|tgz|tar\.gz)$/.test(path))).toEqual([]);
    expect(await fleet.run(id, 'test -e /var/log/puppet.log || echo none')).toBe('none');
    expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
    expect(await fleet.run(id, 'systemctl is-enabled puppet || true')).toBe('disabled');
    const ids = 'cat /etc/machine-id; ls /etc/ssh/ssh_host_* 2>/dev/null | wc -l';
    expect(await fleet.run(id, ids)).toMatch(/^[0-9a-f]{32}\n/);
  });

  it('a job runs on a host of the image, and cannot reach the metadata of the instance', async () => {
    // There is one such host: those that stand still take no job.
    const script = 'curl --silent --max-time 5 http://169.254.169.254/ || echo "curl $?"';
    const job = fleet.job(1, script, ['baked']);
    await fleet.untilJob(job, 'completed', 60);
    expect(job).toMatchObject({ result: 'succeeded' });
    expect(await fleet.outputOf(job)).toMatch(/^curl 7$/m);
  });

  it('a host of the image listens in less than half of the time', async () => {
    while (baked.length < boots) baked.push(await boot());
    const of = (all: readonly BootTimes[]) => all.map(({ listening }) => listening);
    const figures = {
      baked: { p50: percentile(of(baked), 0.5), p95: percentile(of(baked), 0.95) },
      unbaked: { p50: percentile(of(unbaked), 0.5), p95: percentile(of(unbaked), 0.95) },
    };
    say(JSON.stringify(figures));
    if (process.env.DROVER_FIGURES !== undefined) writeFileSync(process.env.DROVER_FIGURES, JSON.stringify(figures));
    expect(figures.baked.p50 / figures.unbaked.p50).toBeLessThanOrEqual(0.45);
  });
});

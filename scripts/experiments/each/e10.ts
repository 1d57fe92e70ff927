import { GetConsoleOutputCommand, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { type Experiment, minutes, nameOf, no, prefix, seconds, unclear, yes } from '../experiment.ts';
import { type Lab, until } from '../lab.ts';
import { template } from './templates.ts';

const id = 'E10';
const launches = 5;
/** EC2's own part, from the call until the instance runs, as the goals for a start assume it. */
const mostSeconds = 25;
const mark = `${prefix} uptime`;
/** Seconds since the kernel started, when cloud-init carries out user data. */
const userData = `#!/bin/sh\necho "${mark} $(cut -d ' ' -f 1 /proc/uptime)" > /dev/console\n`;

interface Timing {
  readonly call: number;
  readonly running: number;
  readonly userData: number | undefined;
}

/** The parts of a boot that EC2 has. */
export const bootTimings: Experiment = {
  id,
  question: `Is an instance running within ${mostSeconds} s of the call that launches it (median of ${launches}), and where does the rest go?`,
  needs: ['aws'],
  minutes: 15,
  usd: 0.02,
  decides: [
    {
      design: 'bake first: a stopped pool saves little of what EC2 itself takes',
      document: 'docs/decisions/0101-images-are-baked-by-the-fleets-own-boot.md',
      ifYes: 'the goal for a baked host, queued until running within 40 s (p50), stays',
      ifNo: 'the goal moves by what EC2 takes, and a pool of stopped instances is looked at again',
    },
  ],
  async run(lab) {
    const { account, note } = lab;
    await account.deploy(id, template({ id, launch: { UserData: Buffer.from(userData).toString('base64') } }));
    const timings: Timing[] = [];
    for (let count = 0; count < launches; count++) {
      const timing = await launch(lab);
      if (timing === undefined) return unclear('an instance was not running within 5 minutes');
      note(JSON.stringify(timing));
      timings.push(timing);
    }
    const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
    const running = median(timings.map((timing) => timing.running));
    const told = timings.flatMap((timing) => timing.userData ?? []);
    const boot =
      told.length === 0
        ? 'no console output to read the boot from'
        : `user data ${median(told)} s after the kernel's start`;
    const words = `running ${running} s after the call (median), ${boot}`;
    return running <= mostSeconds ? yes(words) : no(words);
  },
};

async function launch({ account, time }: Lab): Promise<Timing | undefined> {
  const { ec2 } = account.clients;
  const begin = time.now();
  const since = () => Math.round((time.now() - begin) / 100) / 10;
  const { Instances } = await ec2.send(
    new RunInstancesCommand({
      LaunchTemplate: { LaunchTemplateName: nameOf(id) },
      SubnetId: await account.subnet(),
      MinCount: 1,
      MaxCount: 1,
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: `${prefix}-launched`, Value: id }] }],
    }),
  );
  const [call, InstanceId] = [since(), Instances?.[0]?.InstanceId ?? ''];
  const isRunning = async () => (await account.instances([InstanceId]).catch(() => []))[0]?.State?.Name === 'running';
  if ((await until(time, isRunning, minutes(5), seconds(1))) === undefined) return undefined;
  const running = since();
  const uptime = async () => {
    const { Output = '' } = await ec2.send(new GetConsoleOutputCommand({ InstanceId, Latest: true }));
    const [, told] = new RegExp(`${mark} ([\\d.]+)`).exec(Buffer.from(Output, 'base64').toString('utf8')) ?? [];
    return told !== undefined && Number(told);
  };
  // Not each type of instance, nor the embedded cloud, has a console that can be read.
  const told = await until(time, uptime, minutes(2), seconds(5)).catch(() => undefined);
  return { call, running, userData: told };
}

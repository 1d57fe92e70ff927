import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Served } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { ScaledClock } from '@drover/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveAws } from '../../src/wire/wire.ts';
import { administratorOf } from '../contract/rehearsal.ts';
import { outsideClients } from './outside-client.ts';
import { storyTemplate } from './story-template.ts';

/** The distribution's own where there are several. */
const clis = outsideClients('aws', 'apt-get install awscli');
const cli = clis.find(({ path }) => path.startsWith('/usr/bin/')) ?? clis[0]!;

/** Time runs as usual while a command works, so that a slow machine misses no deadline; waits are run through quickly. */
const clock = new ScaledClock({ speed: 1 });
const world = new World({ clock });
const hurry = 400;

async function forward(seconds: number): Promise<void> {
  clock.setSpeed(hurry);
  await clock.sleep(seconds * 1_000);
  clock.setSpeed(1);
}

let [served, folder, keys]: [Served | undefined, string, Record<string, string>] = [undefined, '', {}];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aws-story-'));
  await writeFile(join(folder, 'template.json'), JSON.stringify(storyTemplate));
  served = await serveAws(world);
  const { accessKeyId, secretAccessKey } = await administratorOf(world);
  keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
});
afterAll(async () => {
  await served?.close();
  await rm(folder, { recursive: true });
});

interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command with nothing of this machine's own configuration. */
function run(line: string, credentials = keys): Promise<Told> {
  const args = [...line.split(' '), '--endpoint-url', served?.url ?? '', '--output', 'json'];
  const env = {
    PATH: process.env.PATH,
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    AWS_MAX_ATTEMPTS: '1',
    ...credentials,
  };
  return new Promise((resolve) => {
    execFile(cli.path, args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what the command prints is asserted where it is used
async function aws(line: string): Promise<any> {
  const { code, stdout, stderr } = await run(line);
  if (code !== 0) throw new Error(`aws ${line}\n${stderr}`);
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}

interface Seen {
  readonly desired: number;
  readonly states: Readonly<Record<string, string>>;
}

async function group(): Promise<Seen> {
  const answer = await aws('autoscaling describe-auto-scaling-groups --auto-scaling-group-names story');
  const [{ DesiredCapacity, Instances }] = answer.AutoScalingGroups;
  const states = Instances.map((each: Record<string, string>) => [each.InstanceId, each.LifecycleState]);
  return { desired: DesiredCapacity, states: Object.fromEntries(states) };
}

function instanceIn(state: string, { states }: Seen): string {
  const [found] = Object.entries(states).find(([, seen]) => seen === state) ?? [];
  if (found === undefined) throw new Error(`no instance in ${state}: ${JSON.stringify(states)}`);
  return found;
}

const hookAction = (action: string, hook: string, instance: string) =>
  aws(
    `autoscaling ${action} --auto-scaling-group-name story --lifecycle-hook-name ${hook} --instance-id ${instance}` +
      (action === 'complete-lifecycle-action' ? ' --lifecycle-action-result CONTINUE' : ''),
  );

const machineState = async (instance: string): Promise<string> =>
  (await aws(`ec2 describe-instances --instance-ids ${instance}`)).Reservations[0].Instances[0].State.Name;

describe(`the story of a stack, played with ${cli.path} ${cli.reason}`, () => {
  it.skipIf(cli.missing)(
    'creates a group whose instance waits for its hook, scales by an alarm, drains, times out and goes',
    async () => {
      // A stack is created; it does not wait for the launch hook of the group's instance.
      await aws(
        'cloudformation create-stack --stack-name story --template-body file://template.json --capabilities CAPABILITY_IAM',
      );
      await forward(120);
      const first = instanceIn('Pending:Wait', await group());
      const creating = await aws('cloudformation describe-stacks --stack-name story');
      expect(creating.Stacks[0].StackStatus).toBe('CREATE_COMPLETE');
      await hookAction('complete-lifecycle-action', 'launch', first);
      await forward(120);
      await aws('cloudformation wait stack-create-complete --stack-name story');
      expect((await group()).states).toEqual({ [first]: 'InService' });

      // Its function runs the inline code.
      await aws('lambda invoke --function-name story-function answer.json');
      expect(JSON.parse(await readFile(join(folder, 'answer.json'), 'utf8'))).toEqual({ told: 'a story' });

      // A metric becomes an alarm, the alarm a second instance.
      await aws('cloudwatch put-metric-data --namespace Story --metric-name Waiting --value 15');
      await forward(150);
      const { MetricAlarms } = await aws('cloudwatch describe-alarms --alarm-names story-waiting');
      expect(MetricAlarms[0].StateValue).toBe('ALARM');
      const grown = await group();
      expect(grown.desired).toBe(2);

      // No one completes its hook: after the hook's 300 seconds its default result, ABANDON, replaces it. Its end has a
      // hook too.
      const second = instanceIn('Pending:Wait', grown);
      await forward(400);
      const replaced = await group();
      const third = instanceIn('Pending:Wait', replaced);
      expect(replaced.states).toEqual({
        [first]: 'InService',
        [second]: 'Terminating:Wait',
        [third]: 'Pending:Wait',
      });
      await hookAction('complete-lifecycle-action', 'launch', third);

      // The first one is to go. A heartbeat after 200 of its 300 seconds keeps it beyond them.
      await aws(
        `autoscaling terminate-instance-in-auto-scaling-group --instance-id ${first} --should-decrement-desired-capacity`,
      );
      await forward(200);
      await hookAction('record-lifecycle-action-heartbeat', 'end', first);
      await forward(200);
      expect((await group()).states).toEqual({ [first]: 'Terminating:Wait', [third]: 'InService' });
      await hookAction('complete-lifecycle-action', 'end', first);
      await forward(120);
      expect([await machineState(first), await machineState(second)]).toEqual(['terminated', 'terminated']);

      // The stack is deleted; the termination hook of the last instance runs out of time.
      await aws('cloudformation delete-stack --stack-name story');
      await forward(900);
      await aws('cloudformation wait stack-delete-complete --stack-name story');
      expect((await run('cloudformation describe-stacks --stack-name story')).stderr).toMatch(
        /\(ValidationError\).*Stack with id story does not exist/,
      );
    },
    180_000,
  );

  it.skipIf(cli.missing)('refuses a role actions that no policy allows it, in the words of AWS', async () => {
    const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: world.aws.accountId } };
    await writeFile(join(folder, 'trust.json'), JSON.stringify({ Version: '2012-10-17', Statement: [trust] }));
    const { Role } = await aws('iam create-role --role-name nobody --assume-role-policy-document file://trust.json');
    const { Credentials } = await aws(`sts assume-role --role-arn ${Role.Arn} --role-session-name me`);
    const session = {
      AWS_ACCESS_KEY_ID: Credentials.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: Credentials.SecretAccessKey,
      AWS_SESSION_TOKEN: Credentials.SessionToken,
    };

    const { code, stderr } = await run('autoscaling describe-auto-scaling-groups', session);

    expect(code).not.toBe(0);
    expect(stderr).toMatch(
      /\(AccessDenied\).*User: arn:aws:sts::123456789012:assumed-role\/nobody\/me is not authorized to perform: autoscaling:DescribeAutoScalingGroups because no identity-based policy allows the autoscaling:DescribeAutoScalingGroups action/,
    );
  });

  it.skipIf(cli.missing).each([
    ['ec2 describe-placement-groups', 'ec2:DescribePlacementGroups'],
    ['lambda list-layers', 'lambda:ListLayers'],
  ])('says by name that it does not model %s', async (line, operation) => {
    expect((await run(line)).stderr).toMatch(new RegExp(`\\(NotImplemented\\).*does not model ${operation}`));
  });
});

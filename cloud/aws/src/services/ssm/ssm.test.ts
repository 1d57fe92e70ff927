import {
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  GetParameterCommand,
  ListCommandInvocationsCommand,
  SendCommandCommand,
  waitUntilCommandExecuted,
} from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import type { RemoteAgent } from '../../account/neighbours.ts';
import { type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const id = 'i-0123456789abcdef0';

/** An agent that runs for as long as the test says. */
function agent(test: TestWorld, answer: { exitCode: number; stdout?: string; stderr?: string; ms?: number }) {
  const state = { alive: true, commands: [] as (readonly string[])[] };
  const remote: RemoteAgent = {
    alive: () => state.alive,
    run: async (commands) => {
      state.commands.push(commands);
      await test.clock.sleep(answer.ms ?? 0);
      return { exitCode: answer.exitCode, stdout: answer.stdout ?? '', stderr: answer.stderr ?? '' };
    },
  };
  test.world.aws.ssm.registerAgent(id, remote);
  return state;
}

async function send({ aws }: TestWorld, more: object = {}): Promise<string> {
  const { Command } = await aws.ssm.send(
    new SendCommandCommand({
      InstanceIds: [id],
      DocumentName: 'AWS-RunShellScript',
      Parameters: { commands: ['echo hello'] },
      ...more,
    }),
  );
  return Command!.CommandId!;
}

const look = ({ aws }: TestWorld, CommandId: string) =>
  aws.ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId: id }));

it('DescribeInstanceInformation returns ten nodes unless more are asked for', async () => {
  const test = testWorld();
  const nodes = Array.from({ length: 12 }, (_, index) => `i-${String(index).padStart(17, '0')}`);
  for (const node of nodes) test.world.aws.ssm.registerAgent(node, { alive: () => true, run: () => Promise.reject() });

  const first = await test.aws.ssm.send(new DescribeInstanceInformationCommand({}));
  const { NextToken } = first;
  const second = await test.aws.ssm.send(new DescribeInstanceInformationCommand({ NextToken }));

  expect([first, second].map(({ InstanceInformationList }) => InstanceInformationList?.length)).toEqual([10, 2]);
});

describe('a remote command', () => {
  it('ends with the exit code and the output of its commands', async () => {
    const test = testWorld();
    const { commands } = agent(test, { exitCode: 3, stdout: 'x'.repeat(30_000), stderr: 'y'.repeat(9_000), ms: 4_000 });

    const command = await send(test);
    await test.clock.advance(20_000);

    const result = await look(test, command);
    expect(result).toMatchObject({ Status: 'Failed', StatusDetails: 'Failed', ResponseCode: 3 });
    expect(result.StandardOutputContent).toHaveLength(24_000);
    expect(result.StandardErrorContent).toHaveLength(8_000);
    expect(commands).toEqual([['echo hello']]);
  });

  it('a remote command is not yet known in the moment after it was sent, which the waiter of the SDK expects', async () => {
    const test = testWorld();
    agent(test, { exitCode: 0 });
    const command = await send(test);

    await expect(look(test, command)).rejects.toMatchObject({ name: 'InvocationDoesNotExist' });
    await test.clock.advance(10_000);

    const waited = await waitUntilCommandExecuted(
      { client: test.aws.ssm, maxWaitTime: 30 },
      { CommandId: command, InstanceId: id },
    );
    expect(waited.state).toBe('SUCCESS');
  });

  it('[rule 15] a remote command is not begun any more when the agent comes back after the delivery timeout', async () => {
    const test = testWorld();
    const state = agent(test, { exitCode: 0 });
    state.alive = false;

    const command = await send(test, { TimeoutSeconds: 60 });
    await test.clock.advance(61_000);
    state.alive = true;
    await test.clock.advance(7_200_000);

    expect(state.commands).toEqual([]);
    expect(await look(test, command)).toMatchObject({ StatusDetails: 'DeliveryTimedOut' });
  });

  it('reaches an agent that comes back in time', async () => {
    const test = testWorld();
    const state = agent(test, { exitCode: 0, stdout: 'late' });
    state.alive = false;

    const command = await send(test, { TimeoutSeconds: 600 });
    await test.clock.advance(120_000);
    state.alive = true;
    await test.clock.advance(60_000);

    expect(await look(test, command)).toMatchObject({ Status: 'Success', StandardOutputContent: 'late' });
  });

  it('times out when it runs too long, and cannot be delivered once the instance is gone', async () => {
    const test = testWorld();
    agent(test, { exitCode: 0, ms: 500_000 });
    const slow = await send(test, { Parameters: { commands: ['sleep'], executionTimeout: ['30'] } });
    await test.clock.advance(40_000);
    expect(await look(test, slow)).toMatchObject({ Status: 'TimedOut', StatusDetails: 'ExecutionTimedOut' });

    const undelivered = await send(test);
    test.world.aws.ssm.unregisterAgent(id);
    await test.clock.advance(5_000);

    expect(await look(test, undelivered)).toMatchObject({ Status: 'Failed', StatusDetails: 'Undeliverable' });
    await expect(send(test)).rejects.toMatchObject({ name: 'InvalidInstanceId' });
  });

  it('a remote command is listed with its output', async () => {
    const test = testWorld();
    agent(test, { exitCode: 0, stdout: 'out', ms: 10_000 });
    const done = await send(test);
    await test.clock.advance(60_000);

    const { CommandInvocations } = await test.aws.ssm.send(
      new ListCommandInvocationsCommand({ CommandId: done, Details: true }),
    );
    expect(CommandInvocations).toMatchObject([
      { Status: 'Success', CommandPlugins: [{ Output: 'out', ResponseCode: 0 }] },
    ]);
  });

  it('shows a silent agent as ConnectionLost', async () => {
    const test = testWorld();
    const state = agent(test, { exitCode: 0 });
    const ping = async () =>
      (await test.aws.ssm.send(new DescribeInstanceInformationCommand({}))).InstanceInformationList?.[0]?.PingStatus;

    expect(await ping()).toBe('Online');
    state.alive = false;
    await test.clock.advance(600_000);

    expect(await ping()).toBe('ConnectionLost');
  });

  it('refuses documents that are not modelled', async () => {
    const test = testWorld();
    agent(test, { exitCode: 0 });

    await expect(send(test, { DocumentName: 'AWS-RunAnsiblePlaybook' })).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });
});

describe('parameters', () => {
  it('a published parameter has its newest value and version; earlier versions are not modelled', async () => {
    const { aws, world } = testWorld();
    const get = (Name: string) => aws.ssm.send(new GetParameterCommand({ Name }));
    world.aws.ssm.setParameter('/app/a', '1');
    world.aws.ssm.setParameter('/app/a', '2');

    expect((await get('/app/a')).Parameter).toMatchObject({
      Value: '2',
      Version: 2,
      ARN: 'arn:aws:ssm:eu-west-1:123456789012:parameter/app/a',
    });
    expect((await get('/app/a:2')).Parameter?.Value).toBe('2');
    await expect(get('/app/a:1')).rejects.toMatchObject({ name: 'NotImplemented' });
    await expect(get('/app/a:3')).rejects.toMatchObject({ name: 'ParameterNotFound' });
    await expect(get('/none')).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { MachineFixture } from './machine-fixture.test-support.ts';

let fixture: MachineFixture;

beforeEach(() => {
  fixture = new MachineFixture();
});

const seconds = 1_000;
const minutes = 60 * seconds;

describe('the remote-command agent', () => {
  const managedCore = ['AmazonSSMManagedInstanceCore'];
  const profile = { IamInstanceProfile: { Name: 'node' } };
  const send = (id: string, ...commands: string[]) =>
    fixture.world.aws.call(
      'ssm',
      'SendCommand',
      { DocumentName: 'AWS-RunShellScript', InstanceIds: [id], Parameters: { commands } },
      fixture.root,
    );
  const invocation = async (id: string, sent: unknown) => {
    const { CommandId } = (sent as { Command: { CommandId: string } }).Command;
    const input = { CommandId, InstanceId: id };
    return (await fixture.world.aws.call('ssm', 'GetCommandInvocation', input, fixture.root)) as Record<
      string,
      unknown
    >;
  };

  it('registers when the role may, and runs commands with their output and exit code', async () => {
    await fixture.createProfile('node', [], managedCore);
    fixture.world.machines.onBoot(
      () => true,
      async ({ machine }) => {
        machine.defineCommand('status', async ({ stdout, argv }) => {
          stdout(`idle ${argv[1]}\n`);
          return 3;
        });
        return 0;
      },
    );
    const { instance } = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    const sent = await send(instance.id, 'echo "one two"', 'status now');
    await fixture.clock.advance(30 * seconds);

    expect(await invocation(instance.id, sent)).toMatchObject({
      Status: 'Failed',
      ResponseCode: 3,
      StandardOutputContent: 'one two\nidle now\n',
    });
  });

  it('[rule 29] an instance of Debian is unknown to Systems Manager until the agent is installed there, and known after each boot from then on', async () => {
    await fixture.createProfile('node', [], managedCore);
    const machine = await fixture.launch({ ...profile, ImageId: 'ami-0a10000000000d121' });
    const { id } = machine.instance;
    const listed = async () => {
      const found = await fixture.world.aws.call('ssm', 'DescribeInstanceInformation', {}, fixture.root);
      return (found as { InstanceInformationList: { PingStatus: string }[] }).InstanceInformationList.map(
        ({ PingStatus }) => PingStatus,
      );
    };
    await fixture.clock.advance(10 * minutes);
    expect(await listed()).toEqual([]);
    await expect(send(id, 'true')).rejects.toThrow('not in a valid state');

    machine.installRemoteAgent();
    await fixture.clock.advance(minutes);
    expect(await listed()).toEqual(['Online']);

    fixture.world.machines.reset(id);
    await fixture.clock.advance(10 * minutes);
    const sent = await send(id, 'true');
    await fixture.clock.advance(30 * seconds);
    expect(await invocation(id, sent)).toMatchObject({ Status: 'Success' });
  });

  it('a remote command is run by the shell that a machine was given, until the machine boots again', async () => {
    await fixture.createProfile('node', [], managedCore);
    const scripts: string[] = [];
    const machine = await fixture.launch(profile);
    machine.replaceShell(async (script) => {
      scripts.push(script);
      return { exitCode: 4, stdout: 'from a real shell', stderr: '' };
    });
    await fixture.clock.advance(30 * seconds);

    const sent = await send(machine.instance.id, 'for i in 1 2; do', 'echo $i; done | wc -l');
    await fixture.clock.advance(30 * seconds);

    expect(scripts).toEqual(['for i in 1 2; do\necho $i; done | wc -l']);
    expect(await invocation(machine.instance.id, sent)).toMatchObject({
      ResponseCode: 4,
      StandardOutputContent: 'from a real shell',
    });
    machine.up([]);
    expect(await machine.runCommand('echo one')).toMatchObject({ exitCode: 0, stdout: 'one\n' });
  });

  it('[rule 15] a remote-command agent never registers without a role that allows it, or when a fault kills it first', async () => {
    await fixture.createProfile('node', [], []);
    const powerless = await fixture.launch(profile);
    const withoutRole = await fixture.launch();
    await fixture.iam('AttachRolePolicy', {
      RoleName: 'node',
      PolicyArn: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore',
    });
    fixture.world.engine.faults.add({ service: 'machine', operation: 'agent', effect: { kind: 'dead-agent' } });
    const struck = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    for (const { instance } of [powerless, withoutRole, struck])
      await expect(send(instance.id, 'true')).rejects.toMatchObject({ code: 'InvalidInstanceId' });
  });

  it('[rule 15] a remote-command agent that dies leaves commands pending', async () => {
    await fixture.createProfile('node', [], managedCore);
    const { instance } = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    fixture.world.machines.get(instance.id)!.killAgent();
    const sent = await send(instance.id, 'true');
    await fixture.clock.advance(5 * minutes);

    expect(await invocation(instance.id, sent)).toMatchObject({ Status: 'Pending' });
  });
});

import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../machine.ts';
import { clientConfigOn, idle, MachineFixture, readMetadata } from '../machine-fixture.test-support.ts';
import type { ProcessContext, SpawnOptions } from '../program.ts';

let fixture: MachineFixture;

beforeEach(() => {
  fixture = new MachineFixture();
});

const minutes = 60_000;
const hours = 60 * minutes;

/** The text that a process on the machine reads, in a process of its own. */
async function read(machine: Machine, path: string, options: SpawnOptions = {}): Promise<string> {
  let content = 'nothing';
  const reader = machine.spawn(
    'reader',
    async (context) => {
      content = await readMetadata(context, path);
      return 0;
    },
    options,
  );
  await fixture.clock.advance(1_000);
  reader.signal('SIGKILL');
  return content;
}

describe('instance metadata', () => {
  it('says what the instance is', async () => {
    const machine = await fixture.launch({ UserData: Buffer.from('hello').toString('base64') }, { 'my key': 'v' });
    const { instance } = machine;

    expect(await read(machine, 'meta-data/instance-id')).toBe(instance.id);
    expect(await read(machine, 'meta-data/placement/availability-zone')).toBe(instance.availabilityZone);
    expect(await read(machine, 'meta-data/placement/')).toBe('availability-zone\nregion');
    expect(await read(machine, 'meta-data/tags/instance/my%20key')).toBe('v');
    expect(await read(machine, 'user-data')).toBe('hello');
    expect(JSON.parse(await read(machine, 'dynamic/instance-identity/document'))).toMatchObject({
      accountId: '123456789012',
      instanceId: instance.id,
      region: 'eu-west-1',
    });
    expect(await read(machine, 'meta-data/nonsense')).toBe('404');
  });

  it('instance metadata describes the network interface by its MAC address', async () => {
    const machine = await fixture.launch();
    const mac = await read(machine, 'meta-data/mac');

    expect(mac).toMatch(/^02(:[0-9a-f]{2}){5}$/);
    expect(await read(machine, 'meta-data/network/interfaces/macs/')).toBe(`${mac}/`);
    expect(await read(machine, `meta-data/network/interfaces/macs/${mac}/local-ipv4s`)).toBe(
      machine.instance.privateIp,
    );
  });

  it('[rule 10] needs a token, which ends', async () => {
    const machine = await fixture.launch();
    const { world } = fixture;
    let context!: ProcessContext;
    machine.spawn('p', (own) => {
      context = own;
      return idle(own);
    });
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      context.http({ method, host: '169.254.169.254', path, query: '', headers, body: new Uint8Array() });
    const get = async (headers: Record<string, string>) =>
      (await ask('GET', '/latest/meta-data/instance-id', headers)).status;

    const issued = await ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '60' });
    const token = { 'x-aws-ec2-metadata-token': String(issued.body) };

    expect(await get({})).toBe(401);
    expect(await get({ 'x-aws-ec2-metadata-token': 'made up' })).toBe(401);
    expect(await get(token)).toBe(200);
    expect((await ask('PUT', '/latest/api/token')).status).toBe(400);
    expect((await ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '21601' })).status).toBe(
      400,
    );
    await fixture.clock.advance(61_000);
    expect(await get(token)).toBe(401);
    expect(world.machines.get(machine.instance.id)).toBe(machine);
  });

  it('[rule 10] instance metadata does not reach a container at hop limit 1, and does at 2', async () => {
    const near = await fixture.launch();
    const far = await fixture.launch({ MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 } });

    expect(await read(near, 'meta-data/instance-id', { container: true })).toBe('nothing');
    expect(await read(far, 'meta-data/instance-id', { container: true })).toBe(far.instance.id);
  });

  it('metadata does not respond to users that the firewall rule denies', async () => {
    const machine = await fixture.launch();
    machine.denyMetadataFor('runner');

    expect(await read(machine, 'meta-data/instance-id', { user: 'runner' })).toBe('nothing');
    expect(await read(machine, 'meta-data/instance-id')).toBe(machine.instance.id);
  });

  it('shows a spot notice from the moment it is given', async () => {
    const machine = await fixture.launch({ HibernationOptions: {}, InstanceMarketOptions: { MarketType: 'spot' } });
    expect(await read(machine, 'meta-data/spot/instance-action')).toBe('404');

    const endsAt = fixture.clock.now() + 2 * minutes;
    fixture.world.aws.ec2.reclaimSpot(machine.instance.id);

    const notice = JSON.parse(await read(machine, 'meta-data/spot/instance-action'));
    expect(notice.action).toBe('terminate');
    expect(Math.abs(Date.parse(notice.time) - endsAt)).toBeLessThan(1_000);
    expect(await read(machine, 'meta-data/spot/termination-time')).toBe(notice.time);
  });

  it('[rule 10] shows where the group sends the instance, which is InService while its launch hook is open', async () => {
    const { aws } = fixture.world;
    const root = fixture.root;
    const data = { ImageId: 'ami-0a10000000000a201', InstanceType: 't3.medium' };
    await aws.call('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: 'group', LaunchTemplateData: data }, root);
    const group = {
      AutoScalingGroupName: 'group',
      LaunchTemplate: { LaunchTemplateName: 'group', Version: '$Latest' },
      MinSize: 1,
      MaxSize: 1,
      AvailabilityZones: ['eu-west-1a'],
      LifecycleHookSpecificationList: [
        { LifecycleHookName: 'up', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING', HeartbeatTimeout: 3600 },
        {
          LifecycleHookName: 'down',
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
          HeartbeatTimeout: 3600,
        },
      ],
    };
    await aws.call('autoscaling', 'CreateAutoScalingGroup', group, root);
    await fixture.clock.runUntil(() => fixture.world.machines.all()[0]?.state === 'up', 10 * minutes);
    const [machine] = fixture.world.machines.all();
    const InstanceIds = [machine!.instance.id];
    const current = async () => {
      const answer = await aws.call('autoscaling', 'DescribeAutoScalingInstances', { InstanceIds }, root);
      return (answer as { AutoScalingInstances: { LifecycleState: string }[] }).AutoScalingInstances[0]?.LifecycleState;
    };
    const target = () => read(machine!, 'meta-data/autoscaling/target-lifecycle-state');

    expect([await current(), await target()]).toEqual(['Pending:Wait', 'InService']);
    await aws.call(
      'autoscaling',
      'CompleteLifecycleAction',
      {
        AutoScalingGroupName: 'group',
        LifecycleHookName: 'up',
        InstanceId: InstanceIds[0],
        LifecycleActionResult: 'CONTINUE',
      },
      root,
    );
    await fixture.clock.advance(1 * minutes);
    await aws.call(
      'autoscaling',
      'TerminateInstanceInAutoScalingGroup',
      { InstanceId: InstanceIds[0], ShouldDecrementDesiredCapacity: false },
      root,
    );
    await fixture.clock.advance(1 * minutes);
    expect([await current(), await target()]).toEqual(['Terminating:Wait', 'Terminated']);
  });

  it('metadata can be served on loopback for real processes', async () => {
    const machine = await fixture.launch();
    const served = await fixture.world.machines.serveMetadata(machine.instance.id);
    const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };

    const token = await (await fetch(`${served.url}/latest/api/token`, { method: 'PUT', headers })).text();
    const answer = await fetch(`${served.url}/latest/meta-data/instance-id`, {
      headers: { 'x-aws-ec2-metadata-token': token },
    });

    expect(await answer.text()).toBe(machine.instance.id);
    await served.close();
  });
});

describe('instance credentials', () => {
  const profile = { IamInstanceProfile: { Name: 'node' } };

  it('carry the instance in their session and its ARN, and work from the machine', async () => {
    await fixture.createProfile('node', []);
    const machine = await fixture.launch(profile);
    const role = await read(machine, 'meta-data/iam/security-credentials/');
    const held = JSON.parse(await read(machine, `meta-data/iam/security-credentials/${role}`));
    let arn: string | undefined;
    machine.spawn('caller', async (context) => {
      const sts = new STSClient(await clientConfigOn(context, fixture.world, role));
      arn = (await sts.send(new GetCallerIdentityCommand({}))).Arn;
      return 0;
    });
    await fixture.clock.advance(1_000);

    const principal = fixture.world.aws.iam.principalFor(held.AccessKeyId, held.Token);
    expect(role).toBe('node');
    expect(arn).toBe(`arn:aws:sts::123456789012:assumed-role/node/${machine.instance.id}`);
    expect(principal.sourceInstanceArn).toBe(machine.instance.arn);
  });

  it('credentials are renewed before they expire', async () => {
    await fixture.createProfile('node', []);
    const machine = await fixture.launch(profile);
    const key = async () =>
      JSON.parse(await read(machine, 'meta-data/iam/security-credentials/node')) as {
        AccessKeyId: string;
        Expiration: string;
      };
    const first = await key();

    await fixture.clock.advance(1 * hours);
    expect((await key()).AccessKeyId).toBe(first.AccessKeyId);
    await fixture.clock.advance(Date.parse(first.Expiration) - fixture.clock.now() - 5 * minutes);
    const second = await key();

    expect(second.AccessKeyId).not.toBe(first.AccessKeyId);
    expect(Date.parse(second.Expiration)).toBeGreaterThan(Date.parse(first.Expiration));
  });

  it('credentials do not exist without an instance profile', async () => {
    const machine = await fixture.launch();

    expect(await read(machine, 'meta-data/iam/security-credentials/')).toBe('404');
  });
});

import { SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import {
  DeregisterTargetsCommand,
  DescribeTargetHealthCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { HttpResponse } from '@drover/cloud-engine';
import { describe, expect, it } from 'vitest';
import type { TemplateObject } from '../../cloudformation/template/template.ts';
import { type StackWorld, stackWorld } from '../../cloudformation/testing/stack-world.ts';

const Ref = (name: string) => ({ Ref: name });
const GetAtt = (name: string, attribute: string) => ({ 'Fn::GetAtt': [name, attribute] });
const group = (ingress: TemplateObject[]): TemplateObject => ({
  Type: 'AWS::EC2::SecurityGroup',
  Properties: { GroupDescription: 'test', VpcId: Ref('Vpc'), SecurityGroupIngress: ingress },
});
const tcp = (port: number, source: TemplateObject): TemplateObject => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  ...source,
});

/** Two instances behind a name: HTTPS from anywhere, the instances' port from the load balancer only. */
const site = (options: { certificateDomain?: string; instancePort?: number } = {}): TemplateObject => ({
  Resources: {
    Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
    SubnetA: {
      Type: 'AWS::EC2::Subnet',
      Properties: { VpcId: Ref('Vpc'), CidrBlock: '10.0.1.0/24', AvailabilityZone: 'eu-west-1a' },
    },
    SubnetB: {
      Type: 'AWS::EC2::Subnet',
      Properties: { VpcId: Ref('Vpc'), CidrBlock: '10.0.2.0/24', AvailabilityZone: 'eu-west-1b' },
    },
    Front: group([tcp(443, { CidrIp: '10.0.0.0/16' })]),
    Back: group([tcp(options.instancePort ?? 9200, { SourceSecurityGroupId: GetAtt('Front', 'GroupId') })]),
    Zone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: 'example.org' } },
    Certificate: {
      Type: 'AWS::CertificateManager::Certificate',
      Properties: {
        DomainName: options.certificateDomain ?? 'search.example.org',
        ValidationMethod: 'DNS',
        DomainValidationOptions: [
          { DomainName: options.certificateDomain ?? 'search.example.org', HostedZoneId: Ref('Zone') },
        ],
      },
    },
    Balancer: {
      Type: 'AWS::ElasticLoadBalancingV2::LoadBalancer',
      Properties: {
        Scheme: 'internal',
        Subnets: [Ref('SubnetA'), Ref('SubnetB')],
        SecurityGroups: [GetAtt('Front', 'GroupId')],
      },
    },
    Targets: {
      Type: 'AWS::ElasticLoadBalancingV2::TargetGroup',
      Properties: {
        Port: 9200,
        Protocol: 'HTTP',
        VpcId: Ref('Vpc'),
        HealthCheckPath: '/health?local=true',
        HealthCheckIntervalSeconds: 10,
        TargetGroupAttributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '60' }],
      },
    },
    Listener: {
      Type: 'AWS::ElasticLoadBalancingV2::Listener',
      Properties: {
        LoadBalancerArn: Ref('Balancer'),
        Port: 443,
        Protocol: 'HTTPS',
        Certificates: [{ CertificateArn: Ref('Certificate') }],
        DefaultActions: [{ Type: 'forward', TargetGroupArn: Ref('Targets') }],
      },
    },
    Name: {
      Type: 'AWS::Route53::RecordSet',
      Properties: {
        HostedZoneId: Ref('Zone'),
        Name: 'search.example.org',
        Type: 'A',
        AliasTarget: {
          DNSName: GetAtt('Balancer', 'DNSName'),
          HostedZoneId: GetAtt('Balancer', 'CanonicalHostedZoneID'),
        },
      },
    },
    Template: {
      Type: 'AWS::EC2::LaunchTemplate',
      Properties: {
        LaunchTemplateData: {
          ImageId: 'ami-0a10000000000a201',
          InstanceType: 't3a.medium',
          SecurityGroupIds: [GetAtt('Back', 'GroupId')],
        },
      },
    },
    Group: {
      Type: 'AWS::AutoScaling::AutoScalingGroup',
      Properties: {
        AutoScalingGroupName: 'nodes',
        MinSize: '0',
        MaxSize: '2',
        DesiredCapacity: '2',
        VPCZoneIdentifier: [Ref('SubnetA'), Ref('SubnetB')],
        TargetGroupARNs: [Ref('Targets')],
        LaunchTemplate: { LaunchTemplateId: Ref('Template'), Version: GetAtt('Template', 'LatestVersionNumber') },
      },
    },
  },
});

/** Every instance responds with its address, in the way that `answers` says. */
function serveInstances(stacks: StackWorld, answers: Map<string, 'refuse' | 'hang' | 'sick'> = new Map()): void {
  const { aws, network } = stacks.world;
  network.register(
    (host) => aws.ec2.runningAt(host) !== undefined,
    async ({ host, path, headers }) => {
      const address = host.split(':')[0]!;
      const answer = answers.get(address);
      if (answer === 'refuse') throw Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' });
      if (answer === 'hang') return await new Promise<never>(() => {});
      if (answer === 'sick' && path === '/health') return { status: 503, headers: {}, body: '' };
      return { status: 200, headers: {}, body: JSON.stringify({ address, path, headers }) };
    },
  );
}

async function openSite(options: Parameters<typeof site>[0] = {}) {
  const stacks = stackWorld();
  const answers = new Map<string, 'refuse' | 'hang' | 'sick'>();
  serveInstances(stacks, answers);
  const { StackStatus } = await stacks.create('site', site(options));
  await stacks.clock.advance(30_000);
  const origin = { kind: 'operator', name: 'test' } as const;
  const get = (host = 'search.example.org', from = origin): Promise<HttpResponse> => {
    const request = { method: 'GET', host, path: '/x', query: '', headers: {}, body: new Uint8Array() };
    return stacks.during(stacks.world.network.from(from)(request));
  };
  const health = () => {
    const { cloudformation, ec2, elbv2 } = stacks.world.aws;
    const targets = cloudformation.stacks.get('site').resources.get('Targets')!.physicalId!;
    const state = (id: string) =>
      elbv2.isHealthy(targets, id) ? 'healthy' : elbv2.isUnhealthy(targets, id) ? 'unhealthy' : 'other';
    return [...ec2.instances.keys()].map(state).sort();
  };
  const addresses = [...stacks.world.aws.ec2.instances.values()].map(({ privateIp }) => privateIp);
  const TargetGroupArn = stacks.world.aws.cloudformation.stacks.get('site').resources.get('Targets')!.physicalId!;
  const targets = {
    register: (Id: string) => stacks.sdk.elbv2.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id }] })),
    deregister: (Id: string) =>
      stacks.sdk.elbv2.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets: [{ Id }] })),
    states: async (...ids: readonly string[]) => {
      const Targets = ids.length === 0 ? {} : { Targets: ids.map((Id) => ({ Id })) };
      const command = new DescribeTargetHealthCommand({ TargetGroupArn, ...Targets });
      const { TargetHealthDescriptions: found = [] } = await stacks.sdk.elbv2.send(command);
      return Object.fromEntries(found.map(({ Target, TargetHealth }) => [Target!.Id!, TargetHealth!]));
    },
  };
  return { stacks, answers, get, health, addresses, targets, StackStatus };
}

const addressIn = ({ body }: HttpResponse) => JSON.parse(String(body)).address as string;

describe('a load balancer', () => {
  it('forwards what comes to its name to the healthy instances in turn, with the headers of a proxy', async () => {
    const { StackStatus, get, health, addresses } = await openSite();

    expect(StackStatus).toBe('CREATE_COMPLETE');
    expect(health()).toEqual(['healthy', 'healthy']);
    const answers = [await get(), await get()];
    expect(answers.map(addressIn).sort()).toEqual([...addresses].sort());
    expect(JSON.parse(String(answers[0]!.body)).headers).toMatchObject({
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '443',
    });
  });

  it('takes a target out after two failed checks and back after five good ones', async () => {
    const { stacks, answers, get, health, addresses } = await openSite();
    const [sick, well] = addresses as [string, string];
    answers.set(sick, 'sick');
    await stacks.clock.advance(10_000);
    expect(health()).toEqual(['healthy', 'healthy']);
    await stacks.clock.advance(10_000);
    expect(health()).toEqual(['healthy', 'unhealthy']);
    expect([addressIn(await get()), addressIn(await get())]).toEqual([well, well]);

    answers.delete(sick);
    await stacks.clock.advance(40_000);
    expect(health()).toEqual(['healthy', 'unhealthy']);
    await stacks.clock.advance(10_000);
    expect(health()).toEqual(['healthy', 'healthy']);
  });

  it('uses every target when none is healthy', async () => {
    const { stacks, answers, get, health, addresses } = await openSite();
    for (const address of addresses) answers.set(address, 'sick');
    await stacks.clock.advance(30_000);
    expect(health()).toEqual(['unhealthy', 'unhealthy']);
    expect((await get()).status).toBe(200);
  });

  it('responds with 502 for a target that refuses, 504 for one that is silent, 503 without any', async () => {
    const { stacks, answers, get, addresses } = await openSite();
    for (const address of addresses) answers.set(address, 'refuse');
    expect((await get()).status).toBe(502);
    for (const address of addresses) answers.set(address, 'hang');
    expect((await get()).status).toBe(504);

    const none = new SetDesiredCapacityCommand({ AutoScalingGroupName: 'nodes', DesiredCapacity: 0 });
    await stacks.sdk.autoscaling.send(none);
    await stacks.clock.advance(600_000);
    expect((await get()).status).toBe(503);
  });

  it('gives a deregistered target no new request, and calls it draining until the delay is over and unused after it', async () => {
    const { stacks, get, addresses, targets } = await openSite();
    const [leaving, staying] = [...stacks.world.aws.ec2.instances.keys()] as [string, string];
    await targets.deregister(leaving);
    expect(await targets.states()).toMatchObject({
      [leaving]: { State: 'draining', Reason: 'Target.DeregistrationInProgress' },
      [staying]: { State: 'healthy' },
    });
    expect([addressIn(await get()), addressIn(await get())]).toEqual([addresses[1], addresses[1]]);

    await stacks.clock.advance(60_000);
    expect(Object.keys(await targets.states())).toEqual([staying]);
    expect(await targets.states(leaving)).toMatchObject({
      [leaving]: { State: 'unused', Reason: 'Target.NotRegistered' },
    });
    await targets.deregister(leaving);
    expect(stacks.world.aws.ec2.instances.get(leaving)!.state).toBe('running');
  });

  it('checks a target that is registered again before it gets a request, and Auto Scaling does not register it by itself', async () => {
    const { stacks, get, addresses, targets } = await openSite();
    const [id] = [...stacks.world.aws.ec2.instances.keys()] as [string];
    await targets.deregister(id);
    await stacks.clock.advance(3_600_000);
    expect(await targets.states(id)).toMatchObject({ [id]: { State: 'unused' } });

    await targets.register(id);
    expect(await targets.states(id)).toMatchObject({ [id]: { State: 'initial' } });
    expect([addressIn(await get()), addressIn(await get())]).toEqual([addresses[1], addresses[1]]);
    await stacks.clock.advance(10_000);
    expect(await targets.states(id)).toMatchObject({ [id]: { State: 'healthy' } });
    expect(new Set([addressIn(await get()), addressIn(await get())])).toEqual(new Set(addresses));
  });

  it('takes no instance that is not running, and none that it does not know', async () => {
    const { stacks, targets } = await openSite();
    const [id] = [...stacks.world.aws.ec2.instances.keys()] as [string];
    await targets.deregister(id);
    await stacks.sdk.autoscaling.send(
      new SetDesiredCapacityCommand({ AutoScalingGroupName: 'nodes', DesiredCapacity: 0 }),
    );
    await stacks.clock.advance(600_000);
    await expect(targets.register(id)).rejects.toMatchObject({ name: 'InvalidTargetException' });
    await expect(targets.register('i-0123456789abcdef0')).rejects.toMatchObject({ name: 'InvalidTargetException' });
  });

  it('refuses where no listener is, and reaches no port that the security groups close', async () => {
    const { get } = await openSite();
    await expect(get('search.example.org:8080')).rejects.toThrow('ECONNREFUSED');
    const closed = await openSite({ instancePort: 9300 });
    expect(closed.health()).toEqual(['unhealthy', 'unhealthy']);
    expect((await closed.get()).status).toBe(504);
  });

  it('lets in only whom its own security group lets in', async () => {
    const { stacks, get } = await openSite();
    const machine = (address: string) => ({ kind: 'machine', name: 'x', address }) as never;
    expect((await get('search.example.org', machine('10.0.9.9'))).status).toBe(200);
    const outside = get('search.example.org', machine('192.168.0.1')).catch(() => 'never');
    const gaveUp = stacks.during(stacks.clock.sleep(3_600_000).then(() => 'still waiting'));
    expect(await Promise.race([outside, gaveUp])).toBe('still waiting');
  });
});

describe('a certificate', () => {
  it('fails the stack when its domain is not in the zone that shall validate it', async () => {
    const stacks = stackWorld();
    const { StackStatus } = await stacks.create('site', site({ certificateDomain: 'search.example.com' }));
    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('site').join('\n')).toContain('search.example.com is not in the hosted zone example.org.');
  });
});

import { DescribeServicesCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import type { TemplateObject } from '../../cloudformation/template/template.ts';
import { stackWorld } from '../../cloudformation/testing/stack-world.ts';

const Ref = (name: string) => ({ Ref: name });
const GetAtt = (name: string, attribute: string) => ({ 'Fn::GetAtt': [name, attribute] });
const subnet = (CidrBlock: string, zone: string) => ({
  Type: 'AWS::EC2::Subnet',
  Properties: { VpcId: Ref('Vpc'), CidrBlock, AvailabilityZone: `eu-west-1${zone}` },
});

/** A service of one task behind a load balancer; the task gets a secret, if its execution role may read it. */
const template = (mayRead: boolean): TemplateObject => ({
  Resources: {
    Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
    SubnetA: subnet('10.0.1.0/24', 'a'),
    SubnetB: subnet('10.0.2.0/24', 'b'),
    Open: {
      Type: 'AWS::EC2::SecurityGroup',
      Properties: {
        GroupDescription: 'test',
        VpcId: Ref('Vpc'),
        SecurityGroupIngress: [{ IpProtocol: 'tcp', FromPort: 0, ToPort: 65535, CidrIp: '0.0.0.0/0' }],
      },
    },
    Password: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'password', SecretString: 'first' } },
    Execution: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'ecs-tasks.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: mayRead
          ? [
              {
                PolicyName: 'read',
                PolicyDocument: {
                  Version: '2012-10-17',
                  Statement: [{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: Ref('Password') }],
                },
              },
            ]
          : [],
      },
    },
    Cluster: { Type: 'AWS::ECS::Cluster', Properties: { ClusterName: 'ui' } },
    Definition: {
      Type: 'AWS::ECS::TaskDefinition',
      Properties: {
        Family: 'ui',
        Cpu: '256',
        Memory: '512',
        NetworkMode: 'awsvpc',
        RequiresCompatibilities: ['FARGATE'],
        ExecutionRoleArn: GetAtt('Execution', 'Arn'),
        ContainerDefinitions: [
          {
            Name: 'ui',
            Image: 'registry/ui:1',
            PortMappings: [{ ContainerPort: 5601 }],
            Secrets: [{ Name: 'PASSWORD', ValueFrom: Ref('Password') }],
          },
        ],
      },
    },
    Balancer: {
      Type: 'AWS::ElasticLoadBalancingV2::LoadBalancer',
      Properties: {
        Name: 'ui',
        Subnets: [Ref('SubnetA'), Ref('SubnetB')],
        SecurityGroups: [GetAtt('Open', 'GroupId')],
      },
    },
    Targets: {
      Type: 'AWS::ElasticLoadBalancingV2::TargetGroup',
      Properties: { Port: 5601, Protocol: 'HTTP', VpcId: Ref('Vpc'), TargetType: 'ip', HealthCheckIntervalSeconds: 10 },
    },
    Listener: {
      Type: 'AWS::ElasticLoadBalancingV2::Listener',
      Properties: {
        LoadBalancerArn: Ref('Balancer'),
        Port: 80,
        Protocol: 'HTTP',
        DefaultActions: [{ Type: 'forward', TargetGroupArn: Ref('Targets') }],
      },
    },
    Service: {
      Type: 'AWS::ECS::Service',
      DependsOn: 'Listener',
      Properties: {
        ServiceName: 'ui',
        Cluster: Ref('Cluster'),
        TaskDefinition: Ref('Definition'),
        DesiredCount: 1,
        LaunchType: 'FARGATE',
        HealthCheckGracePeriodSeconds: 60,
        NetworkConfiguration: {
          AwsvpcConfiguration: {
            Subnets: [Ref('SubnetA'), Ref('SubnetB')],
            SecurityGroups: [GetAtt('Open', 'GroupId')],
          },
        },
        LoadBalancers: [{ ContainerName: 'ui', ContainerPort: 5601, TargetGroupArn: Ref('Targets') }],
      },
    },
  },
  Outputs: { Name: { Value: GetAtt('Balancer', 'DNSName') } },
});

async function open() {
  const stacks = stackWorld();
  const sick = new Set<string>();
  stacks.world.aws.ecs.registerImage(/\/ui:/, async ({ environment, address }) => async () => ({
    status: sick.has(address) ? 500 : 200,
    headers: {},
    body: `${address} ${environment.PASSWORD}`,
  }));
  const { StackStatus, Outputs } = await stacks.create('ui', template(true), { Capabilities: ['CAPABILITY_IAM'] });
  const host = `${Outputs![0]!.OutputValue}:80`;
  const get = async () => {
    const request = { method: 'GET', host, path: '/', query: '', headers: {}, body: new Uint8Array() };
    const answer = stacks.world.network.from({ kind: 'operator', name: 'test' })(request);
    const { status, body } = await stacks.during(answer);
    const [address, password] = String(body).split(' ');
    return { status, address, password };
  };
  return { stacks, sick, StackStatus, get };
}

describe('a service', () => {
  it('a service is there when its task responds through the load balancer, with the secret read by its execution role', async () => {
    const { stacks, StackStatus, get } = await open();
    expect(StackStatus).toBe('CREATE_COMPLETE');
    expect(await get()).toMatchObject({ status: 200, password: 'first' });
    const { services } = await stacks.sdk.ecs.send(new DescribeServicesCommand({ cluster: 'ui', services: ['ui'] }));
    expect(services).toMatchObject([{ runningCount: 1, deployments: [{ rolloutState: 'COMPLETED' }] }]);
  });

  it('reads a changed secret in a new deployment only, which replaces the task without a gap', async () => {
    const { stacks, get } = await open();
    await stacks.sdk.secretsmanager.send(new PutSecretValueCommand({ SecretId: 'password', SecretString: 'second' }));
    await stacks.clock.advance(600_000);
    expect(await get()).toMatchObject({ password: 'first' });

    await stacks.sdk.ecs.send(new UpdateServiceCommand({ cluster: 'ui', service: 'ui', forceNewDeployment: true }));
    const seen = new Set<string>();
    for (let passed = 0; passed < 60; passed++) {
      await stacks.clock.advance(5_000);
      const { status, password } = await get();
      seen.add(`${status} ${password}`);
    }
    expect([...seen]).toEqual(['200 first', '200 second']);
  });

  it('replaces a task whose target is unhealthy', async () => {
    const { stacks, sick, get } = await open();
    const { address } = await get();
    sick.add(address!);
    await stacks.clock.advance(300_000);
    expect(await get()).toMatchObject({ status: 200 });
    expect((await get()).address).not.toBe(address);
    const { services } = await stacks.sdk.ecs.send(new DescribeServicesCommand({ cluster: 'ui', services: ['ui'] }));
    expect(services).toMatchObject([{ runningCount: 1 }]);
  });

  it('a service whose execution role may not read the secret never becomes steady, and the stack rolls back', async () => {
    const stacks = stackWorld();
    stacks.world.aws.ecs.registerImage(/\/ui:/, async () => async () => ({ status: 200, headers: {}, body: '' }));
    const { StackStatus } = await stacks.create('ui', template(false), { Capabilities: ['CAPABILITY_IAM'] });
    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    const reasons = stacks.world.engine.journal.entries.filter(({ source }) => source === 'aws.ecs');
    expect(JSON.stringify(reasons)).toContain('is not authorized to perform: secretsmanager:GetSecretValue');
  });
});

describe('the network of a service', () => {
  const service = (subnets: object) => {
    const { Resources } = template(true) as { Resources: Record<string, TemplateObject> };
    const { Service, ...others } = Resources;
    const { NetworkConfiguration: _, ...properties } = Service!.Properties as TemplateObject;
    const Properties = { ...properties, ...subnets } as TemplateObject;
    return { Resources: { ...others, Service: { ...Service, Properties } } } as TemplateObject;
  };

  it('a service without subnets fails its stack, and the world goes on', async () => {
    const test = stackWorld();

    const { StackStatus } = await test.create('ui', service({}), { Capabilities: ['CAPABILITY_IAM'] });

    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(test.events('ui').join()).toContain("Network Configuration must be provided when networkMode 'awsvpc'");
  });

  it('a service whose subnets are gone starts no tasks, and the world goes on', async () => {
    const { stacks } = await open();
    const { subnets, defaultVpc } = stacks.world.aws.ec2.network;
    for (const { id, vpcId } of [...subnets.values()]) if (vpcId !== defaultVpc?.id) subnets.delete(id);
    const which = { cluster: 'ui', service: 'ui' };
    await stacks.sdk.ecs.send(new UpdateServiceCommand({ ...which, forceNewDeployment: true }));

    await stacks.clock.advance(60_000);

    const { services } = await stacks.sdk.ecs.send(new DescribeServicesCommand({ cluster: 'ui', services: ['ui'] }));
    expect(services).toMatchObject([{ runningCount: 1, pendingCount: 0 }]);
  });
});

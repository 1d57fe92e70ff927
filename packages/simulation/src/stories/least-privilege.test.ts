import { DescribeStackResourcesCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-secrets-manager';
import { type Clients, clients, type World } from '@drover/cloud-world';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import { fleetStackName } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';
import { playFleetLife } from './fleet-life.ts';

/** The actions that a fleet's roles requested, and those that IAM refused. */
interface Asked {
  /** Actions by role ARN. */
  readonly allowed: Map<string, Set<string>>;
  readonly refused: string[];
}

/** Collects what IAM decides: a journal entry names the call, but one call may need several actions. */
function collect({ observe }: World): Asked {
  const asked: Asked = { allowed: new Map(), refused: [] };
  observe.onAuthorization(({ roleArn, action, refusal }) => {
    if (refusal !== undefined) return void asked.refused.push(refusal);
    if (roleArn === undefined) return;
    const actions = asked.allowed.get(roleArn) ?? new Set();
    asked.allowed.set(roleArn, actions.add(action));
  });
  return asked;
}

/** The parts of a template that speak of rights. */
interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
}

/** A deployed role: what it asked for is found by its ARN, what it was granted by its logical id. */
interface DeployedRole {
  readonly logicalId: string;
  readonly arn: string;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Which program a role belongs to. */
type Owner = 'registration' | 'deregistration' | 'record_metric' | 'runner_version' | 'instance';

const owners: Readonly<Record<string, Owner>> = {
  RunnerFleetFunctionsregistrationRole: 'registration',
  RunnerFleetFunctionsderegistrationRole: 'deregistration',
  RunnerFleetFunctionsrecordmetricRole: 'record_metric',
  RunnerFleetFunctionsrunnerversionRole: 'runner_version',
  RunnerFleetRole: 'instance',
};
const ownerOf = ({ logicalId }: DeployedRole): Owner => owners[logicalId.replace(/[0-9A-F]{8}$/, '')]!;

/** Actions that know no resource (Service Authorization Reference), or for which Lambda wants every one. */
const withoutResource = new Set([
  'autoscaling:DescribeAutoScalingGroups',
  'autoscaling:DescribeAutoScalingInstances',
  'autoscaling:DescribeScalingActivities',
  'autoscaling:DescribeWarmPool',
  'cloudwatch:PutMetricData',
  'ec2:DescribeTags',
  'secretsmanager:ListSecrets',
  'ssm:ListCommandInvocations',
]);
const agentChannels = [
  'ssmmessages:CreateControlChannel',
  'ssmmessages:CreateDataChannel',
  'ssmmessages:OpenControlChannel',
  'ssmmessages:OpenDataChannel',
  'ec2messages:AcknowledgeMessage',
  'ec2messages:DeleteMessage',
  'ec2messages:FailMessage',
  'ec2messages:GetEndpoint',
  'ec2messages:GetMessages',
  'ec2messages:SendReply',
];
const networkInterfaces = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Granted, and never asked for by a program of ours. */
const unused: readonly { owner: Owner | 'functions'; actions: readonly string[]; because: string }[] = [
  {
    owner: 'functions',
    actions: networkInterfaces,
    because: 'Lambda manages the network interfaces, which the embedded cloud does not make; our code is denied them',
  },
  {
    owner: 'instance',
    actions: agentChannels,
    because: "the remote agent's own channels, which the embedded cloud does not go through",
  },
  {
    owner: 'record_metric',
    actions: ['s3:ListBucket'],
    because:
      'it distinguishes a memory that does not exist from one that is denied; another function has made it in this life',
  },
  {
    owner: 'runner_version',
    actions: ['s3:DeleteObject'],
    because: 'archives of the runner software are deleted with the third release; this life has one',
  },
  {
    owner: 'runner_version',
    actions: ['autoscaling:SetDesiredCapacity'],
    because: 'a roll-out launches a newcomer first; this life has no deployment that changes the template',
  },
  {
    owner: 'instance',
    actions: ['ec2:CreateTags'],
    because: 'agents of release 0.1.0 report by a tag while they drain; theirs goes with the release after this one',
  },
];

describe('an instance with its own credentials', () => {
  let stage: CheckedFleetStage;
  let own: Clients;
  let me: string;
  let neighbour: string;
  const order = <T>(work: Promise<T>) => stage.fleet.drive(work, 60_000);
  const secretOf = (instanceId: string) => tokenSecretName('runners', instanceId);

  beforeAll(async () => {
    stage = await CheckedFleetStage.open({ asgMinSize: 2 });
    await stage.untilOnline(2);
    // The name of a deleted secret is free only when Secrets Manager has carried the deletion out.
    await stage.pass(1);
    [me, neighbour] = stage.online as [string, string];
    own = clients(stage.fleet.world, stage.fleet.world.machines.credentialsOf(me)!);
    for (const id of [me, neighbour]) {
      const { arn } = stage.fleet.world.observe.instance(id)!;
      const Tags = [{ Key: 'drover:instance', Value: arn }];
      const command = new CreateSecretCommand({ Name: secretOf(id), SecretString: `token of ${id}`, Tags });
      await order(stage.aws.secretsmanager.send(command));
    }
  });

  it('reads its own token', async () => {
    const { SecretString } = await order(
      own.secretsmanager.send(new GetSecretValueCommand({ SecretId: secretOf(me) })),
    );

    expect(SecretString).toBe(`token of ${me}`);
  });

  const mine = { Key: 'drover:instance', Value: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-0' };
  it.each<[string, () => Promise<unknown>]>([
    [
      "read a neighbour's token",
      () => own.secretsmanager.send(new GetSecretValueCommand({ SecretId: secretOf(neighbour) })),
    ],
    [
      'read the platform token',
      () => own.secretsmanager.send(new GetSecretValueCommand({ SecretId: 'platform-token' })),
    ],
    [
      "delete a neighbour's token",
      () => own.secretsmanager.send(new DeleteSecretCommand({ SecretId: secretOf(neighbour) })),
    ],
    [
      'create a secret',
      () => own.secretsmanager.send(new CreateSecretCommand({ Name: secretOf('i-1'), SecretString: 'x' })),
    ],
    [
      'create a secret that is tagged as its own',
      () =>
        own.secretsmanager.send(new CreateSecretCommand({ Name: secretOf('i-1'), SecretString: 'x', Tags: [mine] })),
    ],
    [
      "tag a neighbour's token as its own",
      () => own.secretsmanager.send(new TagResourceCommand({ SecretId: secretOf(neighbour), Tags: [mine] })),
    ],
    [
      'tag its own token',
      () => own.secretsmanager.send(new TagResourceCommand({ SecretId: secretOf(me), Tags: [mine] })),
    ],
    [
      'untag its own token',
      () => own.secretsmanager.send(new UntagResourceCommand({ SecretId: secretOf(me), TagKeys: ['drover:instance'] })),
    ],
    [
      'change its own token',
      () => own.secretsmanager.send(new PutSecretValueCommand({ SecretId: secretOf(me), SecretString: 'x' })),
    ],
    ['list secrets', () => own.secretsmanager.send(new ListSecretsCommand({}))],
    ['read a parameter', () => call('ssm', 'GetParameter', { Name: '/cdk-bootstrap/hnb659fds/version' })],
    ["write a neighbour's report", () => report('PutObject', neighbour)],
    ['read reports, its own included', () => report('GetObject', me)],
    ['write the memory of the functions', () => report('PutObject', 'fleet-memory.json', '')],
    ['tag a neighbour, as agents of release 0.1.0 tagged their own', () => tag(neighbour, 'drover:agent')],
    ['tag itself with anything but the report of release 0.1.0', () => tag(me, 'Name')],
    ['terminate a neighbour', () => call('ec2', 'TerminateInstances', { InstanceIds: [neighbour] })],
  ])('an instance with its own credentials may not %s', async (_, attempt) => {
    await expect(order(attempt())).rejects.toMatchObject({
      name: expect.stringMatching(/^(AccessDenied|AccessDeniedException|UnauthorizedOperation)$/),
    });
  });

  it('writes its own report', async () => {
    await expect(order(report('PutObject', me))).resolves.toBeDefined();
  });

  const report = (operation: 'GetObject' | 'PutObject', of: string, folder?: string) => {
    const config = stage.fleet.world.machines.get(me)!.files.get('/etc/runner-agent/config.json')!;
    const [, Bucket, prefix] = /^([^/]+)\/(.*)$/.exec((JSON.parse(config) as { host_reports: string }).host_reports)!;
    const body = operation === 'PutObject' ? { Body: Buffer.from('{}') } : {};
    return call('s3', operation, { Bucket, Key: `${folder ?? prefix}${of}`, ...body });
  };
  const call = (service: 'ec2' | 's3' | 'ssm', operation: string, input: object) => {
    const { aws, machines } = stage.fleet.world;
    return aws.call(service, operation, input, { credentials: machines.credentialsOf(me)! });
  };
  const tag = (id: string, Key: string) => call('ec2', 'CreateTags', { Resources: [id], Tags: [{ Key, Value: 'x' }] });
});

describe('the rights of a fleet', () => {
  let stage: CheckedFleetStage;
  let asked: Asked;
  let roles: readonly DeployedRole[];
  let template: Template;

  beforeAll(async () => {
    stage = await playFleetLife(({ world }) => {
      asked = collect(world);
    });
    ({ roles, template } = await deployedRoles(stage));
  });

  const statementsOf = ({ logicalId }: DeployedRole): Statement[] =>
    Object.values(template.Resources)
      .filter(({ Type }) => Type === 'AWS::IAM::Policy')
      .map(({ Properties }) => Properties as { Roles: { Ref: string }[]; PolicyDocument: { Statement: Statement[] } })
      .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === logicalId))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const allowed = (role: DeployedRole) => statementsOf(role).filter(({ Effect }) => Effect === 'Allow');

  it('the roles of a fleet suffice: IAM refuses nothing in a life that uses every feature', () => {
    expect(asked.refused).toEqual([]);
    expect(roles.map(ownerOf).sort()).toEqual([
      'deregistration',
      'instance',
      'record_metric',
      'registration',
      'runner_version',
    ]);
  });

  it('the sweep uses its rights: what it should repair is repaired', async () => {
    const members = [...stage.group.members.values()];
    const parked = members.filter(({ state }) => state === 'Warmed:Hibernated');

    expect(parked.length).toBeGreaterThan(0);
    expect(new Set(parked.map(({ template }) => template.version))).toEqual(new Set(['2']));
    expect(members.some(({ protectedFromScaleIn }) => protectedFromScaleIn)).toBe(false);
    expect(stage.fleet.world.observe.secretNames()).toEqual(['platform-token']);
  });

  it('hold no action that no program uses, except those with a reason', () => {
    const granted = roles.flatMap((role) => allowed(role).flatMap(({ Action }) => rightsOf(role, Action)));
    const used = new Set(roles.flatMap((role) => rightsOf(role, [...(asked.allowed.get(role.arn) ?? [])])));
    const excused = unused.flatMap(({ owner, actions }) =>
      (owner === 'functions' ? functions : [owner]).flatMap((name) => actions.map((action) => `${name} ${action}`)),
    );

    expect([...new Set(granted)].filter((right) => !used.has(right)).sort()).toEqual(excused.sort());
  });

  it('come from no managed policy, and no action has a wildcard', () => {
    for (const role of roles) {
      expect(template.Resources[role.logicalId]?.Properties.ManagedPolicyArns).toBeUndefined();
      expect(JSON.stringify(statementsOf(role).map(({ Action }) => Action))).not.toContain('*');
    }
  });

  it('name a resource wherever the action knows one', () => {
    const everywhere = roles.flatMap((role) =>
      allowed(role)
        .filter(({ Resource }) => JSON.stringify(Resource).includes('"*"'))
        .flatMap(({ Action }) => Action),
    );
    const excused = new Set([...withoutResource, ...agentChannels, 'ec2:CreateNetworkInterface', ...networkInterfaces]);

    expect(everywhere.filter((action) => !excused.has(action))).toEqual([]);
  });

  it('narrow every wildcard in an instance by a condition, apart from what an agent says of itself', () => {
    const unconditional = roles.flatMap((role) =>
      allowed(role)
        .filter(({ Resource, Condition }) => JSON.stringify(Resource).includes('instance/*') && Condition === undefined)
        .flatMap(({ Action }) => Action),
    );

    expect(unconditional).toEqual(['ssm:UpdateInstanceInformation']);
  });
});

const functions: readonly Owner[] = ['registration', 'deregistration', 'record_metric', 'runner_version'];

const rightsOf = (role: DeployedRole, actions: string | readonly string[]) =>
  [actions].flat().map((action) => `${ownerOf(role)} ${action}`);

/** The fleet's roles, and the template that made them. */
async function deployedRoles({
  fleet,
  aws,
}: CheckedFleetStage): Promise<{ roles: DeployedRole[]; template: Template }> {
  const StackName = fleetStackName;
  const order = <T>(work: Promise<T>) => fleet.drive(work, 60_000);
  const { StackResources = [] } = await order(
    aws.cloudformation.send(new DescribeStackResourcesCommand({ StackName })),
  );
  const { TemplateBody = '' } = await order(aws.cloudformation.send(new GetTemplateCommand({ StackName })));
  const roles = StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::IAM::Role').map((resource) => ({
    logicalId: resource.LogicalResourceId!,
    arn: `arn:aws:iam::${fleet.world.aws.accountId}:role/${resource.PhysicalResourceId}`,
  }));
  return {
    roles: roles.filter(({ logicalId }) => logicalId.startsWith('RunnerFleet')),
    template: JSON.parse(TemplateBody),
  };
}

import { DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { DescribeVpcEndpointsCommand } from '@aws-sdk/client-ec2';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createSecret } from './fixtures/secret.ts';
import { createStack } from './fixtures/stack.ts';
import { contractPrefix, minutes, seconds, type Target } from './target.ts';

const parameterName = (target: Target) => `/${contractPrefix}/${target.uniqueName('parameter')}`;

const parameter = (Name: string, Value: unknown) => ({
  Type: 'AWS::SSM::Parameter',
  Properties: { Name, Type: 'String', Value },
});

const storedValue = async (target: Target, Name: string) =>
  (await target.clients.ssm.send(new GetParameterCommand({ Name }))).Parameter?.Value;

// Naive: resolves the reference wherever it stands, and shows the secret to every caller that may describe stacks.
contract(
  '[rule 17] CloudFormation resolves a dynamic reference in the properties of a resource, and leaves it as text in outputs',
  { minutes: 3 },
  async (target) => {
    const secret = await createSecret(target, { value: '{"password":"precious"}' });
    const reference = `{{resolve:secretsmanager:${secret.name}:SecretString:password}}`;
    const name = parameterName(target);

    const stack = await createStack(target, {
      Resources: { Parameter: parameter(name, reference) },
      Outputs: { Password: { Value: reference } },
    });

    expect(await stack.ends()).toBe('CREATE_COMPLETE');
    expect(await storedValue(target, name)).toBe('precious');
    expect((await stack.describe())?.Outputs).toMatchObject([{ OutputKey: 'Password', OutputValue: reference }]);
  },
);

// Naive: stops where it failed and leaves behind what it had made; or overwrites a resource of another stack.
contract(
  '[rule 17] CloudFormation deletes what it has created when a resource cannot be created',
  { minutes: 4 },
  async (target) => {
    const [made, taken] = [parameterName(target), parameterName(target)];
    const other = await createStack(target, { Resources: { Taken: parameter(taken, 'not of the stack') } });
    expect(await other.ends()).toBe('CREATE_COMPLETE');

    const stack = await createStack(target, {
      Resources: {
        First: parameter(made, 'one'),
        Second: { ...parameter(taken, { Ref: 'First' }), DependsOn: 'First' },
      },
    });

    expect(await stack.ends()).toBe('ROLLBACK_COMPLETE');
    await expect(storedValue(target, made)).rejects.toMatchObject({ name: 'ParameterNotFound' });
    expect(await storedValue(target, taken)).toBe('not of the stack');
    const { StackEvents = [] } = await target.clients.cloudformation.send(
      new DescribeStackEventsCommand({ StackName: stack.name }),
    );
    const story = StackEvents.map((event) => `${event.LogicalResourceId} ${event.ResourceStatus}`);
    expect(story).toEqual(
      expect.arrayContaining(['First CREATE_COMPLETE', 'Second CREATE_FAILED', 'First DELETE_COMPLETE']),
    );
  },
);

// Naive: a second endpoint of a service takes its place in the table, and traffic goes by one of them.
contract(
  'a gateway endpoint of S3 is described with its route tables, of which each has one such endpoint',
  { minutes: 4 },
  async (target) => {
    const endpoint = (...tables: string[]) => ({
      Type: 'AWS::EC2::VPCEndpoint',
      Properties: {
        VpcId: { Ref: 'Vpc' },
        VpcEndpointType: 'Gateway',
        ServiceName: { 'Fn::Join': ['', ['com.amazonaws.', { Ref: 'AWS::Region' }, '.s3']] },
        RouteTableIds: tables.map((Ref) => ({ Ref })),
      },
    });
    const Vpc = { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/24' } };
    const table = { Type: 'AWS::EC2::RouteTable', Properties: { VpcId: { Ref: 'Vpc' } } };
    const Resources = { Vpc, One: table, Two: table, Endpoint: endpoint('One') };
    const Outputs = { Vpc: { Value: { Ref: 'Vpc' } }, Table: { Value: { Ref: 'One' } } };
    const stack = await createStack(target, { Resources, Outputs });

    expect(await stack.ends()).toBe('CREATE_COMPLETE');
    const [vpc, one] = ((await stack.describe())?.Outputs ?? []).map(({ OutputValue }) => OutputValue ?? '');
    const Filters = [{ Name: 'vpc-id', Values: [vpc ?? ''] }];
    const { VpcEndpoints } = await target.clients.ec2.send(new DescribeVpcEndpointsCommand({ Filters }));
    expect(VpcEndpoints).toMatchObject([{ VpcEndpointType: 'Gateway', State: 'available', RouteTableIds: [one] }]);
    const other = await createStack(target, {
      Resources: { Vpc, One: table, First: endpoint('One'), Second: { ...endpoint('One'), DependsOn: 'First' } },
    });
    expect(await other.ends()).toBe('ROLLBACK_COMPLETE');
  },
);

/** Responds to deletions only: all other requests wait. */
const silent = `
  const response = require('cfn-response');
  exports.handler = (event, context) => {
    if (event.RequestType === 'Delete') response.send(event, context, response.SUCCESS, {});
    else context.done();
  };
`;

const silentProvider = {
  Role: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
      },
    },
  },
  Provider: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Runtime: 'nodejs22.x',
      Handler: 'index.handler',
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Code: { ZipFile: silent },
    },
  },
};

// Naive: takes the end of the function for its response.
contract(
  '[rule 17] CloudFormation waits for the response of a custom resource until its timeout, then rolls back',
  { minutes: 6 },
  async (target) => {
    const Custom = {
      Type: 'Custom::Silent',
      Properties: { ServiceToken: { 'Fn::GetAtt': ['Provider', 'Arn'] }, ServiceTimeout: '120' },
    };
    const template = { Resources: { ...silentProvider, Custom } };
    const stack = await createStack(target, template, { Capabilities: ['CAPABILITY_IAM'] });
    const storyOf = async (logicalId: string) => {
      const input = { StackName: stack.name };
      const { StackEvents = [] } = await target.clients.cloudformation.send(new DescribeStackEventsCommand(input));
      return StackEvents.filter((event) => event.LogicalResourceId === logicalId);
    };
    await target.until('the request', async () => (await storyOf('Custom')).length > 0);

    await target.pass(seconds(90));
    expect((await storyOf('Custom'))[0]?.ResourceStatus).toBe('CREATE_IN_PROGRESS');

    const failed = async () => (await storyOf('Custom')).find((event) => event.ResourceStatus === 'CREATE_FAILED');
    const { ResourceStatusReason } = await target.until('the failure', failed, minutes(3));
    expect(ResourceStatusReason).toContain('did not receive a response from your Custom Resource');
    expect(await stack.ends()).toBe('ROLLBACK_COMPLETE');
  },
);

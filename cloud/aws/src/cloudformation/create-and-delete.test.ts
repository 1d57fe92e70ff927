import {
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { DeleteObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { stackWorld } from './testing/stack-world.ts';

const bucket = { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'a-bucket' } };

describe('create and delete', () => {
  it('creates resources in the order in which they need each other and publishes outputs', async () => {
    const { create, events } = stackWorld();

    const stack = await create('demo', {
      Resources: {
        Policy: {
          Type: 'AWS::S3::BucketPolicy',
          Properties: { Bucket: { Ref: 'Bucket' }, PolicyDocument: { Statement: [] } },
        },
        Bucket: bucket,
      },
      Outputs: { Arn: { Value: { 'Fn::GetAtt': ['Bucket', 'Arn'] }, Export: { Name: 'the-arn' } } },
    });

    expect(stack.StackStatus).toBe('CREATE_COMPLETE');
    expect(stack.Outputs).toEqual([{ OutputKey: 'Arn', OutputValue: 'arn:aws:s3:::a-bucket', ExportName: 'the-arn' }]);
    expect(events('demo')).toEqual([
      'demo CREATE_IN_PROGRESS User Initiated',
      'Bucket CREATE_IN_PROGRESS',
      'Bucket CREATE_IN_PROGRESS Resource creation Initiated',
      'Bucket CREATE_COMPLETE',
      'Policy CREATE_IN_PROGRESS',
      'Policy CREATE_IN_PROGRESS Resource creation Initiated',
      'Policy CREATE_COMPLETE',
      'demo CREATE_COMPLETE',
    ]);
  });

  it('[rule 17] rolls a failed creation back: what was made is removed again', async () => {
    const { create, events, sdk } = stackWorld();

    const stack = await create('demo', {
      Resources: {
        First: bucket,
        Second: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'Not A Name' }, DependsOn: 'First' },
        Third: { Type: 'AWS::S3::Bucket', DependsOn: 'Second' },
      },
    });

    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('demo')).toEqual([
      'demo CREATE_IN_PROGRESS User Initiated',
      'First CREATE_IN_PROGRESS',
      'First CREATE_IN_PROGRESS Resource creation Initiated',
      'First CREATE_COMPLETE',
      'Second CREATE_IN_PROGRESS',
      expect.stringContaining(
        'Second CREATE_FAILED Resource handler returned message: "The specified bucket is not valid."',
      ),
      'demo ROLLBACK_IN_PROGRESS The following resource(s) failed to create: [Second]. Rollback requested by user.',
      'Second DELETE_COMPLETE',
      'First DELETE_IN_PROGRESS',
      'First DELETE_COMPLETE',
      'demo ROLLBACK_COMPLETE',
    ]);
    await expect(sdk.s3.send(new HeadBucketCommand({ Bucket: 'a-bucket' }))).rejects.toThrow();
  });

  it('fails a deletion when a bucket is not empty, keeps what is left and finishes later', async () => {
    const { create, rest, sdk, describe, events } = stackWorld();
    const { StackId } = await create('demo', { Resources: { Bucket: bucket } });
    await sdk.s3.send(new PutObjectCommand({ Bucket: 'a-bucket', Key: 'k', Body: 'x' }));

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await rest();

    expect((await describe('demo')).StackStatus).toBe('DELETE_FAILED');
    expect(events('demo').join('\n')).toContain('The bucket you tried to delete is not empty');
    await sdk.s3.send(new DeleteObjectCommand({ Bucket: 'a-bucket', Key: 'k' }));
    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await rest();
    expect((await describe(StackId!)).StackStatus).toBe('DELETE_COMPLETE');
    await expect(sdk.cloudformation.send(new DescribeStacksCommand({ StackName: 'demo' }))).rejects.toThrow(
      'Stack with id demo does not exist',
    );
  });

  it('keeps a resource whose DeletionPolicy is Retain', async () => {
    const { create, rest, sdk, events } = stackWorld();
    const { StackId } = await create('demo', { Resources: { Bucket: { ...bucket, DeletionPolicy: 'Retain' } } });

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await rest();

    expect(events(StackId!)).toContain('Bucket DELETE_SKIPPED');
    await sdk.s3.send(new HeadBucketCommand({ Bucket: 'a-bucket' }));
  });

  it('create and delete is read by every operation that reads', async () => {
    const { create, sdk } = stackWorld();
    const template = { Description: 'a bucket', Resources: { Bucket: bucket } };
    const { StackId } = await create('demo', template);
    const { cloudformation } = sdk;
    const which = { StackName: 'demo' };

    const byName = await cloudformation.send(new DescribeStackResourcesCommand({ PhysicalResourceId: 'a-bucket' }));
    const events = await cloudformation.send(new DescribeStackEventsCommand(which));
    const { TemplateBody } = await cloudformation.send(new GetTemplateCommand(which));
    const listed = await cloudformation.send(new ListStacksCommand({ StackStatusFilter: ['CREATE_COMPLETE'] }));

    expect(byName.StackResources).toMatchObject([{ StackId, StackName: 'demo', LogicalResourceId: 'Bucket' }]);
    expect(events.StackEvents?.[0]).toMatchObject({ ResourceStatus: 'CREATE_COMPLETE', LogicalResourceId: 'demo' });
    expect(JSON.parse(TemplateBody!)).toEqual(template);
    expect(listed.StackSummaries).toMatchObject([{ StackName: 'demo', TemplateDescription: 'a bucket' }]);
  });

  it('asks IAM about the stack that a call names', async () => {
    const { create, world, sdk } = stackWorld();
    await create('demo', { Resources: { Bucket: bucket } });
    const trust = {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    };
    const Resource = 'arn:aws:cloudformation:eu-west-1:123456789012:stack/demo/*';
    const may = { Statement: [{ Effect: 'Allow', Action: 'cloudformation:DescribeStacks', Resource }] };
    const { Role } = await sdk.iam.send(
      new CreateRoleCommand({ RoleName: 'reader', AssumeRolePolicyDocument: JSON.stringify(trust) }),
    );
    await sdk.iam.send(
      new PutRolePolicyCommand({ RoleName: 'reader', PolicyName: 'p', PolicyDocument: JSON.stringify(may) }),
    );
    const reader = clients(
      world,
      world.aws.iam.assumeRoleForService(Role!.Arn!, 'ec2.amazonaws.com', 'test'),
    ).cloudformation;

    const { Stacks } = await reader.send(new DescribeStacksCommand({ StackName: 'demo' }));

    expect(Stacks).toHaveLength(1);
    await expect(reader.send(new DeleteStackCommand({ StackName: 'demo' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await expect(reader.send(new DescribeStacksCommand({ StackName: 'other' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });

  it('shows the resources of a stack', async () => {
    const { create, sdk } = stackWorld();
    await create('demo', { Resources: { Bucket: bucket } });

    const listed = await sdk.cloudformation.send(new ListStackResourcesCommand({ StackName: 'demo' }));

    expect(listed.StackResourceSummaries).toMatchObject([
      { LogicalResourceId: 'Bucket', PhysicalResourceId: 'a-bucket', ResourceStatus: 'CREATE_COMPLETE' },
    ]);
  });
});

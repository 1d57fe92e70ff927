import { CreateStackCommand, DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import type { TemplateObject } from './template/template.ts';
import { stackWorld } from './testing/stack-world.ts';

const bucket = (Properties: TemplateObject = {}, more: TemplateObject = {}) => ({
  Type: 'AWS::S3::Bucket',
  Properties,
  ...more,
});

describe('exports', () => {
  const exporting = (value: string) => ({
    Resources: { A: bucket() },
    Outputs: { O: { Value: value, Export: { Name: 'shared' } } },
  });
  const importing = {
    Resources: {
      P: {
        Type: 'AWS::SSM::Parameter',
        Properties: { Name: '/imported', Type: 'String', Value: { 'Fn::ImportValue': 'shared' } },
      },
    },
  };

  it('exports are imported, and then neither changed nor removed; a deletion falls back to the status before', async () => {
    const { create, world, sdk, rest, describe: describeStack, events } = stackWorld();
    await create('giver', exporting('v1'));
    await create('taker', importing);
    expect(world.aws.ssm.parameter('/imported')).toBe('v1');

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'giver' }));
    await rest();
    expect(await describeStack('giver')).toMatchObject({
      StackStatus: 'CREATE_COMPLETE',
      StackStatusReason: 'Export shared cannot be deleted as it is in use by taker',
    });

    await sdk.cloudformation.send(
      new UpdateStackCommand({ StackName: 'giver', TemplateBody: JSON.stringify(exporting('v2')) }),
    );
    await rest();
    expect((await describeStack('giver')).StackStatus).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(events('giver').join('\n')).toContain('Export shared cannot be updated as it is in use by taker');

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'taker' }));
    await rest();
    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'giver' }));
    await rest();
    await expect(describeStack('giver')).rejects.toThrow('does not exist');
  });

  it('an export must exist to be imported, and its name must be free', async () => {
    const { create, events } = stackWorld();
    expect((await create('taker', importing)).StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('taker').join('\n')).toContain('No export named shared found.');
    await create('giver', exporting('v1'));
    expect((await create('rival', exporting('v2'))).StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('rival').join('\n')).toContain('Export with name shared is already exported by stack giver.');
  });

  it('two outputs of one stack cannot export the same name', async () => {
    const { create, events } = stackWorld();
    const twice = exporting('v1');
    const template = { ...twice, Outputs: { ...twice.Outputs, P: { Value: 'v2', Export: { Name: 'shared' } } } };
    expect((await create('giver', template)).StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('giver').join('\n')).toContain('Duplicate Export names: shared');
  });
});

describe('failure options', () => {
  const bad = {
    Resources: {
      Good: bucket({ BucketName: 'kept' }),
      Bad: bucket({ BucketName: 'NOT VALID' }, { DependsOn: 'Good' }),
    },
  };

  it('DO_NOTHING keeps what was made, DELETE removes the stack', async () => {
    const { create, world } = stackWorld();
    expect((await create('keeping', bad, { OnFailure: 'DO_NOTHING' })).StackStatus).toBe('CREATE_FAILED');
    expect(world.aws.s3.storage.buckets.has('kept')).toBe(true);
    world.aws.s3.storage.deleteBucket('kept');
    expect((await create('removing', bad, { OnFailure: 'DELETE' })).StackStatus).toBe('DELETE_COMPLETE');
    expect(world.aws.s3.storage.buckets.has('kept')).toBe(false);
  });

  it('a stack that is deleted while it is created stops and goes', async () => {
    const { sdk, clock, rest, describe: describeStack, world } = stackWorld();
    const chain = {
      A: bucket({ BucketName: 'aaa' }),
      B: bucket({ BucketName: 'bbb' }, { DependsOn: 'A' }),
      C: bucket({}, { DependsOn: 'B' }),
    };
    const { StackId } = await sdk.cloudformation.send(
      new CreateStackCommand({ StackName: 'demo', TemplateBody: JSON.stringify({ Resources: chain }) }),
    );
    await clock.advance(300);

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await rest();

    expect((await describeStack(StackId!)).StackStatus).toBe('DELETE_COMPLETE');
    expect([...world.aws.s3.storage.buckets.values()].filter(({ foreign }) => !foreign)).toEqual([]);
  });

  it('termination protection stands in the way of a deletion', async () => {
    const { create, sdk } = stackWorld();
    await create('demo', { Resources: { A: bucket() } }, { EnableTerminationProtection: true });
    await expect(sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }))).rejects.toThrow(
      'TerminationProtection is enabled',
    );
  });
});

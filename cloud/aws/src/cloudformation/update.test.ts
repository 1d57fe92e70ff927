import {
  CreateChangeSetCommand,
  DescribeChangeSetCommand,
  ExecuteChangeSetCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { AwsError } from '../account/errors.ts';
import type { ResourceProperties } from '../account/service.ts';
import type { TemplateObject } from './template/template.ts';
import { type StackWorld, stackWorld, withProviders } from './testing/stack-world.ts';

const json = (template: TemplateObject) => JSON.stringify(template);

async function update(
  { sdk, rest, describe: describeStack }: StackWorld,
  name: string,
  template: TemplateObject,
  more = {},
) {
  await sdk.cloudformation.send(new UpdateStackCommand({ StackName: name, TemplateBody: json(template), ...more }));
  await rest();
  return await describeStack(name);
}

/** Topics whose provider writes down what is asked of it, and fails for a display name of `bad`. */
function recordedTopics(stacks: StackWorld): string[] {
  const asked: string[] = [];
  const refuseBad = ({ DisplayName }: ResourceProperties) => {
    if (DisplayName === 'bad') throw new AwsError('InvalidParameter', 'bad name', 400);
  };
  let made = 0;
  withProviders(stacks.world, {
    'AWS::SNS::Topic': {
      create: ({ properties }) => {
        asked.push(`create ${properties.TopicName ?? ''} ${properties.DisplayName ?? ''}`);
        refuseBad(properties);
        made += 1;
        const name = properties.TopicName ?? `generated-${made}`;
        return { physicalId: `topic-${name}`, attributes: { TopicName: name } };
      },
      update: ({ physicalId, properties, previousProperties }) => {
        asked.push(`update ${physicalId} ${previousProperties.DisplayName} -> ${properties.DisplayName}`);
        refuseBad(properties);
        return { physicalId };
      },
      delete: ({ physicalId }) => void asked.push(`delete ${physicalId}`),
    },
  });
  return asked;
}

const topic = (Properties: TemplateObject, more: TemplateObject = {}) => ({
  Type: 'AWS::SNS::Topic',
  Properties,
  ...more,
});
const parameter = (Value: TemplateObject | string) => ({
  Type: 'AWS::SSM::Parameter',
  Properties: { Name: '/p', Type: 'String', Value },
});

describe('update', () => {
  it('changes in place what may change in place, and nothing else', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    await stacks.create('demo', { Resources: { A: topic({ DisplayName: 'a' }), B: topic({ DisplayName: 'b' }) } });
    asked.length = 0;
    const before = stacks.events('demo').length;

    const stack = await update(stacks, 'demo', {
      Resources: { A: topic({ DisplayName: 'a' }), B: topic({ DisplayName: 'b2' }) },
    });

    expect(stack.StackStatus).toBe('UPDATE_COMPLETE');
    expect(asked).toEqual(['update topic-generated-2 b -> b2']);
    expect(stacks.events('demo').slice(before)).toEqual([
      'demo UPDATE_IN_PROGRESS User Initiated',
      'B UPDATE_IN_PROGRESS',
      'B UPDATE_COMPLETE',
      'demo UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
      'demo UPDATE_COMPLETE',
    ]);
  });

  it('replaces where the specification says so: the new one first, dependants next, the old one last', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    const of = (name: string) => ({ Resources: { A: topic({ TopicName: name }), P: parameter({ Ref: 'A' }) } });
    await stacks.create('demo', of('one'));
    asked.length = 0;
    const before = stacks.events('demo').length;

    const stack = await update(stacks, 'demo', of('two'));

    expect(stack.StackStatus).toBe('UPDATE_COMPLETE');
    expect(asked).toEqual(['create two ', 'delete topic-one']);
    expect(stacks.world.aws.ssm.parameter('/p')).toBe('topic-two');
    expect(stacks.events('demo').slice(before)).toEqual([
      'demo UPDATE_IN_PROGRESS User Initiated',
      'A UPDATE_IN_PROGRESS Requested update requires the creation of a new physical resource; hence creating one.',
      'A UPDATE_IN_PROGRESS Resource creation Initiated',
      'A UPDATE_COMPLETE',
      'P UPDATE_IN_PROGRESS',
      'P UPDATE_COMPLETE',
      'demo UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
      'A DELETE_IN_PROGRESS',
      'A DELETE_COMPLETE',
      'demo UPDATE_COMPLETE',
    ]);
  });

  it('keeps the old physical resource when UpdateReplacePolicy says Retain', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    const of = (name: string) => ({ Resources: { A: topic({ TopicName: name }, { UpdateReplacePolicy: 'Retain' }) } });
    await stacks.create('demo', of('one'));

    await update(stacks, 'demo', of('two'));

    expect(asked).toEqual(['create one ', 'create two ']);
  });

  it('refuses to replace a resource under the name that it has', async () => {
    const stacks = stackWorld();
    const of = (path: string) => ({
      Resources: {
        Role: {
          Type: 'AWS::IAM::Role',
          Properties: {
            RoleName: 'named',
            Path: path,
            AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [] },
          },
        },
      },
    });
    const more = { Capabilities: ['CAPABILITY_NAMED_IAM'] };
    withProviders(stacks.world, { 'AWS::IAM::Role': { update: ({ physicalId }) => ({ physicalId }) } });
    await stacks.create('demo', of('/a/'), more);

    const stack = await update(stacks, 'demo', of('/b/'), more);

    expect(stack.StackStatus).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(stacks.events('demo').join('\n')).toContain(
      'cannot update a stack when a custom-named resource requires replacing',
    );
  });

  it('adds, removes and keeps removed resources with DeletionPolicy Retain', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    await stacks.create('demo', {
      Resources: { A: topic({ TopicName: 'a' }), B: topic({ TopicName: 'b' }, { DeletionPolicy: 'Retain' }) },
    });
    asked.length = 0;

    await update(stacks, 'demo', { Resources: { C: topic({ TopicName: 'c' }) } });

    expect(asked).toEqual(['create c ', 'delete topic-a']);
    expect(stacks.events('demo')).toContain('B DELETE_SKIPPED');
  });

  it('[rule 17] rolls a failed update back: changes are undone, replacements and additions removed', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    await stacks.create('demo', {
      Resources: {
        InPlace: topic({ TopicName: 'p', DisplayName: 'old' }),
        Replaced: topic({ TopicName: 'r' }),
        Bad: topic({ TopicName: 'x', DisplayName: 'ok' }),
      },
    });
    asked.length = 0;
    const before = stacks.events('demo').length;

    const stack = await update(stacks, 'demo', {
      Resources: {
        InPlace: topic({ TopicName: 'p', DisplayName: 'new' }),
        Replaced: topic({ TopicName: 'r2' }),
        Added: topic({ TopicName: 'added' }),
        Bad: topic({ TopicName: 'x', DisplayName: 'bad' }, { DependsOn: ['InPlace', 'Replaced', 'Added'] }),
      },
    });

    expect(stack.StackStatus).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(asked).toEqual([
      'update topic-p old -> new',
      'create r2 ',
      'create added ',
      'update topic-x ok -> bad',
      'update topic-p new -> old',
      'update topic-x bad -> ok',
      'delete topic-r2',
      'delete topic-added',
    ]);
    const statuses = stacks
      .events('demo')
      .slice(before)
      .filter((event) => event.startsWith('demo '));
    expect(statuses).toEqual([
      'demo UPDATE_IN_PROGRESS User Initiated',
      'demo UPDATE_ROLLBACK_IN_PROGRESS The following resource(s) failed to update: [Bad].',
      'demo UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS',
      'demo UPDATE_ROLLBACK_COMPLETE',
    ]);
    await expect(
      update(stacks, 'demo', {
        Resources: {
          InPlace: topic({ TopicName: 'p', DisplayName: 'old' }),
          Replaced: topic({ TopicName: 'r' }),
          Bad: topic({ TopicName: 'x', DisplayName: 'ok' }),
        },
      }),
    ).rejects.toThrow('No updates are to be performed.');
  });

  it('stays UPDATE_ROLLBACK_FAILED when it cannot go back', async () => {
    const stacks = stackWorld();
    const names: string[] = [];
    withProviders(stacks.world, {
      'AWS::SNS::Topic': {
        update: ({ properties }) => {
          names.push(properties.DisplayName);
          throw new AwsError('Stuck', 'stuck', 500);
        },
      },
    });
    await stacks.create('demo', { Resources: { A: topic({ DisplayName: 'a' }) } });

    expect((await update(stacks, 'demo', { Resources: { A: topic({ DisplayName: 'b' }) } })).StackStatus).toBe(
      'UPDATE_ROLLBACK_FAILED',
    );
    expect(names).toEqual(['b', 'a']);
  });

  it('[rule 17] update does not see that a secret behind an unchanged dynamic reference has changed', async () => {
    const stacks = stackWorld();
    const template = {
      Resources: { P: parameter('{{resolve:ssm:/source}}') },
      Outputs: { O: { Value: '{{resolve:ssm:/source}}' } },
    };
    stacks.world.aws.ssm.setParameter('/source', 'one');
    const stack = await stacks.create('demo', template);
    stacks.world.aws.ssm.setParameter('/source', 'two');

    await expect(update(stacks, 'demo', template)).rejects.toThrow('No updates are to be performed.');
    expect(stacks.world.aws.ssm.parameter('/p')).toBe('one');
    expect(stack.Outputs?.[0]?.OutputValue).toBe('{{resolve:ssm:/source}}');
  });

  it('hands the UpdatePolicy to the provider, resolved', async () => {
    const stacks = stackWorld();
    const seen: unknown[] = [];
    withProviders(stacks.world, {
      'AWS::SNS::Topic': {
        update: ({ physicalId, updatePolicy }) => {
          seen.push(updatePolicy);
          return { physicalId };
        },
      },
    });
    const of = (DisplayName: string) => ({
      Parameters: { Batch: { Type: 'Number', Default: 2 } },
      Resources: { A: topic({ DisplayName }, { UpdatePolicy: { Rolling: { MaxBatchSize: { Ref: 'Batch' } } } }) },
    });
    await stacks.create('demo', of('a'));

    await update(stacks, 'demo', of('b'));

    expect(seen).toEqual([{ Rolling: { MaxBatchSize: '2' } }]);
  });

  it('update is refused while the stack is in progress or was never created', async () => {
    const stacks = stackWorld();
    recordedTopics(stacks);
    const failed = await stacks.create('demo', { Resources: { A: topic({ DisplayName: 'bad' }) } });

    expect(failed.StackStatus).toBe('ROLLBACK_COMPLETE');
    await expect(update(stacks, 'demo', { Resources: { A: topic({}) } })).rejects.toThrow(
      'is in ROLLBACK_COMPLETE state and can not be updated',
    );
    await expect(update(stacks, 'none', { Resources: { A: topic({}) } })).rejects.toThrow(
      'Stack [none] does not exist',
    );
  });
});

describe('change sets', () => {
  it('create a stack, show what an update would do, and do it', async () => {
    const stacks = stackWorld();
    const asked = recordedTopics(stacks);
    const cloudformation = stacks.sdk.cloudformation;
    const propose = async (name: string, type: 'CREATE' | 'UPDATE', template: TemplateObject) => {
      const input = { StackName: 'demo', ChangeSetName: name, ChangeSetType: type, TemplateBody: json(template) };
      await cloudformation.send(new CreateChangeSetCommand(input));
      await stacks.clock.advance(1000);
      return await cloudformation.send(new DescribeChangeSetCommand({ StackName: 'demo', ChangeSetName: name }));
    };
    const execute = async (ChangeSetName: string) => {
      await cloudformation.send(new ExecuteChangeSetCommand({ StackName: 'demo', ChangeSetName }));
      await stacks.rest();
      return (await stacks.describe('demo')).StackStatus;
    };

    const first = await propose('first', 'CREATE', {
      Resources: { A: topic({ TopicName: 'a' }), B: topic({ TopicName: 'b' }) },
    });
    expect(first).toMatchObject({ Status: 'CREATE_COMPLETE', ExecutionStatus: 'AVAILABLE' });
    expect((await stacks.describe('demo')).StackStatus).toBe('REVIEW_IN_PROGRESS');
    expect(asked).toEqual([]);
    expect(await execute('first')).toBe('CREATE_COMPLETE');

    const second = await propose('second', 'UPDATE', { Resources: { A: topic({ TopicName: 'a2' }), C: topic({}) } });
    expect(
      second.Changes?.map(({ ResourceChange: change }) => [
        change?.Action,
        change?.LogicalResourceId,
        change?.Replacement,
      ]),
    ).toEqual([
      ['Modify', 'A', 'True'],
      ['Add', 'C', undefined],
      ['Remove', 'B', undefined],
    ]);
    expect(await execute('second')).toBe('UPDATE_COMPLETE');

    const third = await propose('third', 'UPDATE', { Resources: { A: topic({ TopicName: 'a2' }), C: topic({}) } });
    expect(third).toMatchObject({ Status: 'FAILED', StatusReason: expect.stringContaining("didn't contain changes") });
  });
});

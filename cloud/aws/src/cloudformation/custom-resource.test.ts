import { DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import type { TemplateObject, TemplateValue } from './template/template.ts';
import { type StackWorld, stackWorld } from './testing/stack-world.ts';

interface CustomEvent {
  readonly RequestType: string;
  readonly ResponseURL: string;
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Record<string, unknown>;
  readonly OldResourceProperties?: Record<string, unknown>;
}

const role = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
  },
};

const inlineFunction = (code: string) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    Runtime: 'nodejs22.x',
    Handler: 'index.handler',
    Code: { ZipFile: code },
  },
});

const templateWith = (properties: TemplateObject, more: TemplateObject = {}): TemplateObject => ({
  Resources: {
    Role: role,
    Provider: inlineFunction('exports.handler = () => {};'),
    Thing: {
      Type: 'Custom::Thing',
      Properties: { ServiceToken: { 'Fn::GetAtt': ['Provider', 'Arn'] }, ...properties },
    },
    ...more,
  },
  Outputs: { Id: { Value: { Ref: 'Thing' } } },
});

const iam = { Capabilities: ['CAPABILITY_IAM'] };

/** Runs the provider as plain code; `answer` makes the text that is put to the response URL, or undefined for none. */
function provide(
  stacks: StackWorld,
  answer: (event: CustomEvent) => Record<string, unknown> | undefined,
): CustomEvent[] {
  const received: CustomEvent[] = [];
  stacks.world.aws.lambda.inject(
    (name) => name.includes('Provider'),
    ({ http }) =>
      async (raw) => {
        const event = raw as CustomEvent & Record<string, string>;
        received.push(event);
        const given = answer(event);
        if (given === undefined) return;
        const { host, pathname, search } = new URL(event.ResponseURL);
        const { StackId, RequestId, LogicalResourceId } = event;
        const body = JSON.stringify({ Status: 'SUCCESS', StackId, RequestId, LogicalResourceId, ...given });
        const request = {
          method: 'PUT',
          host,
          path: pathname,
          query: search.slice(1),
          headers: { 'content-type': '' },
        };
        const { status } = await http({ ...request, body: new TextEncoder().encode(body) });
        expect(status).toBe(200);
      },
  );
  return received;
}

const update = async ({ sdk, rest }: StackWorld, template: TemplateObject) => {
  await sdk.cloudformation.send(
    new UpdateStackCommand({
      StackName: 'demo',
      TemplateBody: JSON.stringify(template),
      Capabilities: ['CAPABILITY_IAM'],
    }),
  );
  await rest();
};

const remove = async ({ sdk, rest }: StackWorld) => {
  await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
  await rest();
};

describe('custom resources', () => {
  it('custom resources run the real inline function, which responds with cfn-response', async () => {
    const stacks = stackWorld();
    const code = `
      const response = require('cfn-response');
      exports.handler = async (event, context) => {
        await response.send(event, context, response.SUCCESS, { Loud: String(event.ResourceProperties.Word).toUpperCase() }, 'made-' + event.ResourceProperties.Word);
      };`;
    const template = templateWith({ Word: 'hi' }) as { Resources: TemplateObject };

    const stack = await stacks.create(
      'demo',
      {
        Resources: { ...template.Resources, Provider: inlineFunction(code) },
        Outputs: { Id: { Value: { Ref: 'Thing' } }, Loud: { Value: { 'Fn::GetAtt': ['Thing', 'Loud'] } } },
      },
      iam,
    );

    expect(stack.StackStatus, stacks.events('demo').join('\n')).toBe('CREATE_COMPLETE');
    expect(stack.Outputs?.map((each) => each.OutputValue)).toEqual(['made-hi', 'HI']);
  });

  it('get their properties with numbers and booleans as text', async () => {
    const stacks = stackWorld();
    const received = provide(stacks, () => ({ PhysicalResourceId: 'x' }));

    await stacks.create('demo', templateWith({ Count: 3, Flags: [true, { Deep: 1.5 }] }), iam);

    expect(received[0]?.ResourceProperties).toMatchObject({ Count: '3', Flags: ['true', { Deep: '1.5' }] });
    expect(received[0]?.PhysicalResourceId).toBeUndefined();
  });

  it('[rule 17] a stack waits for the response of a custom resource until its timeout, then rolls back and requests its deletion', async () => {
    const stacks = stackWorld();
    const received = provide(stacks, ({ RequestType }) =>
      RequestType === 'Create' ? undefined : { PhysicalResourceId: 'x' },
    );
    const startedAt = stacks.clock.now();

    const stack = await stacks.create('demo', templateWith({}), iam);

    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.clock.now() - startedAt).toBeGreaterThan(3_600_000);
    expect(stacks.events('demo').join('\n')).toContain('did not receive a response from your Custom Resource');
    expect(received.map((each) => each.RequestType)).toEqual(['Create', 'Delete']);
  });

  it('wait no longer than their ServiceTimeout', async () => {
    const stacks = stackWorld();
    provide(stacks, ({ RequestType }) => (RequestType === 'Create' ? undefined : { PhysicalResourceId: 'x' }));
    const startedAt = stacks.clock.now();

    await stacks.create('demo', templateWith({ ServiceTimeout: 60 }), iam);

    expect(stacks.clock.now() - startedAt).toBeLessThan(120_000);
  });

  it('custom resources are given up when something else fails, and then asked for their removal', async () => {
    const stacks = stackWorld();
    const received = provide(stacks, ({ RequestType }) =>
      RequestType === 'Create' ? undefined : { PhysicalResourceId: 'x' },
    );
    const startedAt = stacks.clock.now();
    const invalid = { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'NOT VALID' }, DependsOn: 'Provider' };

    const stack = await stacks.create('demo', templateWith({}, { Invalid: invalid }), iam);

    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('demo')).toContain('Thing CREATE_FAILED Resource creation cancelled');
    expect(received.map((each) => each.RequestType)).toEqual(['Create', 'Delete']);
    expect(stacks.clock.now() - startedAt).toBeLessThan(60_000);
  });

  it('fail the stack with the reason that they give', async () => {
    const stacks = stackWorld();
    provide(stacks, ({ RequestType }) =>
      RequestType === 'Create'
        ? { Status: 'FAILED', Reason: 'no power', PhysicalResourceId: 'half' }
        : { PhysicalResourceId: 'half' },
    );

    const stack = await stacks.create('demo', templateWith({}), iam);

    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('demo').join('\n')).toContain(
      'Received response status [FAILED] from custom resource. Message returned: no power',
    );
  });

  it('custom resources are updated in place when the id stays, and the old one is deleted when the id changes', async () => {
    const stacks = stackWorld();
    const received = provide(stacks, ({ ResourceProperties }) => ({
      PhysicalResourceId: `id-${ResourceProperties.Name}`,
    }));
    await stacks.create('demo', templateWith({ Name: 'one', Size: 1 }), iam);

    await update(stacks, templateWith({ Name: 'one', Size: 2 }));
    expect(received.map((each) => each.RequestType)).toEqual(['Create', 'Update']);
    await update(stacks, templateWith({ Name: 'two', Size: 2 }));

    expect(received.slice(2).map((each) => [each.RequestType, each.PhysicalResourceId])).toEqual([
      ['Update', 'id-one'],
      ['Delete', 'id-one'],
    ]);
    expect(received[2]?.OldResourceProperties).toMatchObject({ Name: 'one', Size: '2' });
    expect(received[3]?.ResourceProperties).toMatchObject({ Name: 'one' });
    expect((await stacks.describe('demo')).Outputs?.[0]?.OutputValue).toBe('id-two');
  });

  it('custom resources that cannot be deleted leave the stack in DELETE_FAILED, with their function still there', async () => {
    const stacks = stackWorld();
    let stuck = true;
    provide(stacks, ({ RequestType }) =>
      RequestType === 'Delete' && stuck ? { Status: 'FAILED', Reason: 'stuck' } : { PhysicalResourceId: 'x' },
    );
    const { StackId } = await stacks.create('demo', templateWith({}), iam);

    await remove(stacks);

    expect((await stacks.describe('demo')).StackStatus).toBe('DELETE_FAILED');
    expect(stacks.world.aws.lambda.names).toHaveLength(1);
    stuck = false;
    await remove(stacks);
    expect((await stacks.describe(StackId!)).StackStatus).toBe('DELETE_COMPLETE');
    expect(stacks.world.aws.lambda.names).toHaveLength(0);
  });

  it.each<[string, TemplateValue, string]>([
    ['without a physical id', {}, 'Invalid PhysicalResourceId'],
    ['for another request', { PhysicalResourceId: 'x', RequestId: 'other' }, 'Value of RequestId property is invalid'],
    [
      'longer than 4096 bytes',
      { PhysicalResourceId: 'x', Data: { Long: 'x'.repeat(4096) } },
      'Response object is too long',
    ],
    [
      'of an unknown status',
      { PhysicalResourceId: 'x', Status: 'MAYBE' },
      'Value of Status property is empty or invalid',
    ],
  ])('fail on a response %s', async (_what, answer, message) => {
    const stacks = stackWorld();
    provide(stacks, ({ RequestType }) =>
      RequestType === 'Create' ? (answer as Record<string, unknown>) : { PhysicalResourceId: 'x' },
    );

    const stack = await stacks.create('demo', templateWith({}), iam);

    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('demo').join('\n')).toContain(message);
  });

  it('a custom resource that never responds ends with the time that a creation is given', async () => {
    const stacks = stackWorld();

    const stack = await stacks.create('demo', templateWith({}), { ...iam, TimeoutInMinutes: 1 });

    // Its deletion gets no response either.
    expect(stack.StackStatus).toBe('ROLLBACK_FAILED');
  });
});

import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { VirtualClock } from '@drover/core';
import type { OperatorClients } from '@drover/operator/io';
import { expect, it } from 'vitest';
import { webUiStep } from '../../../packages/operator/src/cluster/web-ui-step.ts';
import { memoryIo } from './memory-io.test-support.ts';

const service = 'arn:aws:ecs:eu-west-1:123456789012:service/logs-ui/kibana';

/** An account in which only the stack `ui` has a web UI. */
const step = async (kibana: string, options: { readonly uiStack?: string }) => {
  const send = async (command: { readonly input: { readonly StackName?: string | undefined } }) =>
    command instanceof ListStackResourcesCommand
      ? { StackResourceSummaries: [{ ResourceType: 'AWS::ECS::Service', PhysicalResourceId: service }] }
      : {
          Stacks: [
            { Outputs: command.input.StackName === 'ui' ? [{ OutputKey: 'KibanaVersion', OutputValue: kibana }] : [] },
          ],
        };
  const cloudformation = Object.assign(new CloudFormationClient({ region: 'eu-west-1' }), { send });
  const { io, said } = memoryIo({
    clock: new VirtualClock(),
    fetch: () => Promise.reject(new Error('not needed')),
    aws: async () => ({ cloudformation }) as unknown as OperatorClients,
  });
  return { done: await webUiStep(io, { to: '9.5.3', stack: 'cluster', ...options }), said: said.stderr };
};

it('an upgrade is not over while the web UI has an older Kibana, and says how it is upgraded without a rolling deployment', async () => {
  const { done, said } = await step('8.19.21', { uiStack: 'ui' });
  expect(done).toBe(false);
  expect(said).toMatch(
    /Kibana 8\.19\.21.*never beside its old version.*--cluster logs-ui --service kibana --desired-count 0.*--services kibana.*elasticsearch_version 9\.5\.3/s,
  );
});

it('an upgrade is over when the web UI has the version, or when there is none', async () => {
  expect(await step('9.5.3', { uiStack: 'ui' })).toMatchObject({
    done: true,
    said: expect.stringContaining('nothing is left'),
  });
  expect((await step('8.19.21', {})).done).toBe(true);
});

it('an upgrade is not over when the named stack has no web UI', async () => {
  expect((await step('9.5.3', { uiStack: 'other' })).done).toBe(false);
});

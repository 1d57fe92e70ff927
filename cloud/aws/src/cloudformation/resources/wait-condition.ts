import type { ResourceProvider, ResourceProviders } from '../../account/service.ts';
import { ResourceFailure } from '../errors.ts';
import { NoAnswer, type ResponseInbox } from './response-inbox.ts';

interface Signal {
  readonly Status: string;
  readonly UniqueId: string;
  readonly Reason?: string;
  readonly Data?: string;
}

/** A handle is a URL; a condition waits until enough signals were put there (Template Reference, "AWS::CloudFormation::WaitCondition"). */
export const waitConditionProviders = (inbox: ResponseInbox): ResourceProviders => ({
  'AWS::CloudFormation::WaitConditionHandle': {
    create: ({ stackId, logicalId }) => {
      const physicalId = inbox.open(`${stackId}/${logicalId}`);
      return { physicalId, attributes: { Id: physicalId } };
    },
    delete: ({ physicalId }) => inbox.close(inbox.keyOf(physicalId as string)),
  },
  'AWS::CloudFormation::WaitCondition': waitCondition(inbox),
});

const waitCondition = (inbox: ResponseInbox): ResourceProvider => ({
  create: async ({ properties, signal, generateName }) => {
    const { Handle, Timeout, Count = 1 } = properties as { Handle: string; Timeout: string; Count?: number };
    const key = inbox.keyOf(Handle);
    let received = 0;
    const enough = (answers: readonly string[]) => {
      const signals = [...new Map(answers.map(readSignal).map((each) => [each.UniqueId, each])).values()];
      received = signals.length;
      return received >= Count ? signals : undefined;
    };
    try {
      const signals = await inbox.waitFor(key, enough, {
        timeoutMs: Number(Timeout) * 1000,
        ...(signal && { signal }),
      });
      const Data = JSON.stringify(Object.fromEntries(signals.map(({ UniqueId, Data }) => [UniqueId, Data])));
      return { physicalId: generateName(), attributes: { Data } };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new ResourceFailure(`WaitCondition timed out. Received ${received} conditions when expecting ${Count}`);
    }
  },
  update: ({ type }) => {
    throw new ResourceFailure(`Update to resource type ${type} is not supported.`);
  },
  delete: () => {},
});

function readSignal(text: string): Signal {
  const signal = JSON.parse(text) as Signal;
  if (signal.Status !== 'SUCCESS')
    throw new ResourceFailure(
      `WaitCondition received failed message: '${signal.Reason}' for uniqueId: ${signal.UniqueId}`,
    );
  return signal;
}

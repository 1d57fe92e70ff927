import type { TagResourceCommandInput, UntagResourceCommandInput } from '@aws-sdk/client-lambda';
import type { Operations } from '../../../account/service.ts';
import type { FunctionStore } from '../functions/function-store.ts';
import { onFunction } from './functions.ts';

/** Published versions, aliases and tags. */
export const versionOperations = (store: FunctionStore): Operations => {
  const { functions } = store;
  const ask = (action: string) => (input: { FunctionName?: string | undefined; Resource?: string | undefined }) => [
    onFunction(functions, action, input.FunctionName ?? input.Resource),
  ];
  return {
    TagResource: {
      permissions: ask('TagResource'),
      run: (input: TagResourceCommandInput) => {
        Object.assign(functions.get(input.Resource).tags, input.Tags);
        return {};
      },
    },
    UntagResource: {
      permissions: ask('UntagResource'),
      run: (input: UntagResourceCommandInput) => {
        for (const key of input.TagKeys ?? []) delete functions.get(input.Resource).tags[key];
        return {};
      },
    },
  };
};

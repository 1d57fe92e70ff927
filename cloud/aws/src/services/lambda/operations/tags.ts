import type { TagResourceCommandInput, UntagResourceCommandInput } from '@aws-sdk/client-lambda';
import type { Operations } from '../../../account/service.ts';
import type { Functions } from '../state.ts';
import { onFunction } from './functions.ts';

/** Tags of functions. */
export const tagOperations = (functions: Functions): Operations => {
  const ask = (action: string) => (input: { Resource: string | undefined }) => [
    onFunction(functions, action, input.Resource),
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

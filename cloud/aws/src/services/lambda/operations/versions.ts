import type {
  CreateAliasCommandInput,
  ListTagsCommandInput,
  PublishVersionCommandInput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
} from '@aws-sdk/client-lambda';
import type { Operations } from '../../../account/service.ts';
import { conflict, notFound } from '../errors.ts';
import type { FunctionStore } from '../functions/function-store.ts';
import type { LambdaFunction } from '../model.ts';
import { describeConfiguration } from '../responses.ts';
import { onFunction } from './functions.ts';

type AliasInput = Pick<CreateAliasCommandInput, 'FunctionName' | 'Name' | 'FunctionVersion' | 'Description'>;

/** Published versions, aliases and tags. */
export const versionOperations = (store: FunctionStore): Operations => {
  const { functions } = store;
  const ask = (action: string) => (input: { FunctionName?: string | undefined; Resource?: string | undefined }) => [
    onFunction(functions, action, input.FunctionName ?? input.Resource),
  ];
  return {
    PublishVersion: {
      permissions: ask('PublishVersion'),
      run: (input: PublishVersionCommandInput) => {
        const version = store.publish(functions.get(input.FunctionName));
        return describeConfiguration(functions.select(input.FunctionName, version));
      },
    },
    ListVersionsByFunction: {
      permissions: ask('ListVersionsByFunction'),
      run: (input: PublishVersionCommandInput) => {
        const fn = functions.get(input.FunctionName);
        const all = ['$LATEST', ...fn.versions.keys()];
        return { Versions: all.map((version) => describeConfiguration(functions.select(fn.name, version))) };
      },
    },
    CreateAlias: {
      permissions: ask('CreateAlias'),
      run: (input: AliasInput) => {
        const fn = functions.get(input.FunctionName);
        if (fn.aliases.has(input.Name ?? '')) throw conflict(`Alias already exists: ${fn.arn}:${input.Name}`);
        return setAlias(fn, input);
      },
    },
    UpdateAlias: {
      permissions: ask('UpdateAlias'),
      run: (input: AliasInput) => {
        const fn = functions.get(input.FunctionName);
        requireAlias(fn, input.Name);
        return setAlias(fn, input);
      },
    },
    GetAlias: {
      permissions: ask('GetAlias'),
      run: (input: AliasInput) => describeAlias(functions.get(input.FunctionName), input.Name ?? ''),
    },
    DeleteAlias: {
      permissions: ask('DeleteAlias'),
      run: (input: AliasInput) => {
        functions.get(input.FunctionName).aliases.delete(input.Name ?? '');
        return {};
      },
    },
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
    ListTags: {
      permissions: ask('ListTags'),
      run: (input: ListTagsCommandInput) => ({ Tags: functions.get(input.Resource).tags }),
    },
  };
};

const requireAlias = (fn: LambdaFunction, name: string | undefined) => {
  const alias = fn.aliases.get(name ?? '');
  if (alias === undefined) throw notFound(`Cannot find alias arn: ${fn.arn}:${name}. Alias`);
  return alias;
};

/** Points an alias at a version. */
export function setAlias(fn: LambdaFunction, input: AliasInput) {
  const name = input.Name ?? '';
  const before = fn.aliases.get(name);
  fn.aliases.set(name, {
    version: input.FunctionVersion ?? before?.version ?? '$LATEST',
    description: input.Description ?? before?.description ?? '',
  });
  return describeAlias(fn, name);
}

function describeAlias(fn: LambdaFunction, name: string) {
  const { version, description } = requireAlias(fn, name);
  return {
    AliasArn: `${fn.arn}:${name}`,
    Name: name,
    FunctionVersion: version,
    Description: description,
    RevisionId: fn.revisionId,
  };
}

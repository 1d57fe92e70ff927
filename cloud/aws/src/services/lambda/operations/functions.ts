import type {
  CreateFunctionCommandInput,
  GetFunctionCommandInput,
  ListFunctionsCommandInput,
  UpdateFunctionConfigurationCommandInput,
} from '@aws-sdk/client-lambda';
import { pageOf } from '../../../account/paging.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import { invalidValue } from '../errors.ts';
import type { CodeSource } from '../functions/code.ts';
import type { FunctionStore } from '../functions/function-store.ts';
import { latest } from '../model.ts';
import { describeConfiguration } from '../responses.ts';
import type { Functions } from '../state.ts';

/** The question to IAM for an action on a function. */
export function onFunction(functions: Functions, action: string, id: string | undefined): Permission {
  const { name } = functions.parse(id);
  const tags = Object.entries(functions.all.get(name)?.tags ?? {});
  const context = Object.fromEntries(tags.map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
  return { action: `lambda:${action}`, resource: functions.arnOf(name), context };
}

const readsCode = (source: CodeSource | undefined): Permission[] =>
  source?.S3Bucket === undefined
    ? []
    : [{ action: 's3:GetObject', resource: `arn:aws:s3:::${source.S3Bucket}/${source.S3Key}` }];

const passesRole = (role: string | undefined): Permission[] =>
  role === undefined
    ? []
    : [{ action: 'iam:PassRole', resource: role, context: { 'iam:PassedToService': 'lambda.amazonaws.com' } }];

/** Functions, their code and configuration. */
export const functionOperations = (store: FunctionStore): Operations => {
  const { functions } = store;
  return {
    CreateFunction: {
      permissions: (input: CreateFunctionCommandInput) => [
        onFunction(functions, 'CreateFunction', input.FunctionName),
        ...passesRole(input.Role),
        ...readsCode(input.Code),
      ],
      run: (input: CreateFunctionCommandInput) => {
        const fn = store.create(input, input.Tags ?? {});
        return describeConfiguration(functions.select(fn.name));
      },
    },
    UpdateFunctionConfiguration: {
      permissions: (input: UpdateFunctionConfigurationCommandInput) => [
        onFunction(functions, 'UpdateFunctionConfiguration', input.FunctionName),
        ...passesRole(input.Role),
      ],
      run: (input: UpdateFunctionConfigurationCommandInput) => {
        store.updateConfiguration(functions.get(input.FunctionName), input);
        return describeConfiguration(functions.select(functions.get(input.FunctionName).name));
      },
    },
    GetFunctionConfiguration: {
      permissions: (input: GetFunctionCommandInput) => [
        onFunction(functions, 'GetFunctionConfiguration', input.FunctionName),
      ],
      run: (input: GetFunctionCommandInput) =>
        describeConfiguration(functions.select(input.FunctionName, input.Qualifier)),
    },
    DeleteFunction: {
      permissions: (input: GetFunctionCommandInput) => [onFunction(functions, 'DeleteFunction', input.FunctionName)],
      run: (input: GetFunctionCommandInput) => {
        const { fn, qualifier } = functions.select(input.FunctionName, input.Qualifier);
        if (qualifier === latest)
          throw invalidValue('$LATEST version cannot be deleted without deleting the function.');
        store.delete(fn);
        return {};
      },
    },
    ListFunctions: {
      permissions: () => [{ action: 'lambda:ListFunctions', resource: '*' }],
      run: (input: ListFunctionsCommandInput) => {
        const all = [...functions.all.keys()].sort();
        const page = pageOf(all, input.Marker, input.MaxItems ?? 50, () => invalidValue('Invalid Marker'));
        return {
          Functions: page.items.map((name) => describeConfiguration(functions.select(name))),
          ...(page.nextToken === undefined ? {} : { NextMarker: page.nextToken }),
        };
      },
    },
  };
};

import { createHash } from 'node:crypto';
import type {
  DeleteParameterCommandInput,
  GetParameterCommandInput,
  GetParametersByPathCommandInput,
  PutParameterCommandInput,
} from '@aws-sdk/client-ssm';
import { type ArnScope, arn } from '../../../account/arn.ts';
import { AwsError } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import { validation } from '../model.ts';
import type { Parameters } from '../parameters.ts';

/** `arn:aws:ssm:…:parameter/<name>`; a leading slash of the name is not doubled. Public parameters belong to no account. */
const parameterArn = (scope: ArnScope, name: string) =>
  name.startsWith('arn:')
    ? name
    : arn(
        name.startsWith('/aws/service/') ? { ...scope, accountId: '' } : scope,
        'ssm',
        `parameter/${name.replace(/^\//, '').replace(/:\d+$/, '')}`,
      );

const ask = (scope: ArnScope, action: string, names: readonly (string | undefined)[]): Permission[] =>
  names.map((name) => ({ action: `ssm:${action}`, resource: parameterArn(scope, name ?? '') }));

/** Parameter Store's operations. */
export const parameterOperations = (scope: ArnScope, parameters: Parameters): Operations => {
  const describe = (selector: string, decrypt: boolean | undefined) => {
    const { parameter, version, value, changedAt } = parameters.get(selector);
    return {
      Name: parameter.name,
      Type: parameter.type,
      Value: parameter.type === 'SecureString' && decrypt !== true ? encrypted(value) : value,
      Version: version,
      LastModifiedDate: new Date(changedAt),
      ARN: parameterArn(scope, parameter.name),
      DataType: 'text',
    };
  };
  return {
    PutParameter: {
      permissions: (input: PutParameterCommandInput) => ask(scope, 'PutParameter', [input.Name]),
      run: (input: PutParameterCommandInput) => ({ Version: put(parameters, input), Tier: 'Standard' }),
    },
    GetParameter: {
      permissions: (input: GetParameterCommandInput) => ask(scope, 'GetParameter', [input.Name]),
      run: (input: GetParameterCommandInput) => ({ Parameter: describe(input.Name ?? '', input.WithDecryption) }),
    },
    GetParametersByPath: {
      permissions: (input: GetParametersByPathCommandInput) => ask(scope, 'GetParametersByPath', [input.Path]),
      run: (input: GetParametersByPathCommandInput) => {
        const names = under(parameters, input.Path ?? '', input.Recursive === true);
        const page = pageOf(names, input.NextToken, input.MaxResults ?? 10, badToken);
        const next = page.nextToken === undefined ? {} : { NextToken: page.nextToken };
        return { Parameters: page.items.map((name) => describe(name, input.WithDecryption)), ...next };
      },
    },
    DeleteParameter: {
      permissions: (input: DeleteParameterCommandInput) => ask(scope, 'DeleteParameter', [input.Name]),
      run: (input: DeleteParameterCommandInput) => {
        parameters.get(input.Name ?? '');
        parameters.all.delete(input.Name ?? '');
        return {};
      },
    },
  };
};

/** Looks like what KMS returns, and cannot be read. */
const encrypted = (value: string) => `AQICAHh${createHash('sha512').update(value).digest('base64')}`;

const badToken = () => new AwsError('InvalidNextToken', 'The specified token is not valid.');

function put(parameters: Parameters, input: PutParameterCommandInput): number {
  const name = input.Name ?? '';
  const before = parameters.all.get(name);
  if (before !== undefined && input.Overwrite !== true)
    throw new AwsError(
      'ParameterAlreadyExists',
      'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
    );
  if (input.Overwrite === true && (input.Tags ?? []).length > 0)
    throw validation(
      "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove overwrite flag.",
    );
  if (before === undefined && input.Type === undefined)
    throw validation('A parameter type is required when you create a parameter.');
  if ((input.Value ?? '') === '') throw validation('Value must have a length of at least 1');
  return parameters.put(name, input.Value!, {
    type: input.Type,
    tags: input.Tags && Object.fromEntries(input.Tags.map(({ Key, Value }) => [Key ?? '', Value ?? ''])),
  } as never);
}

function under(parameters: Parameters, path: string, recursive: boolean): string[] {
  const prefix = path.endsWith('/') ? path : `${path}/`;
  return [...parameters.all.keys()]
    .filter((name) => name.startsWith(prefix) && (recursive || !name.slice(prefix.length).includes('/')))
    .sort();
}

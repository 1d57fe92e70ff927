import type { GetParameterCommandInput } from '@aws-sdk/client-ssm';
import { type ArnScope, arn } from '../../../account/arn.ts';
import type { Operations } from '../../../account/service.ts';
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

/** Parameter Store's operations. */
export const parameterOperations = (scope: ArnScope, parameters: Parameters): Operations => ({
  GetParameter: {
    permissions: ({ Name = '' }: GetParameterCommandInput) => [
      { action: 'ssm:GetParameter', resource: parameterArn(scope, Name) },
    ],
    run: (input: GetParameterCommandInput) => {
      const { name, type, value, version, changedAt } = parameters.get(input.Name ?? '');
      return {
        Parameter: {
          Name: name,
          Type: type,
          Value: value,
          Version: version,
          LastModifiedDate: new Date(changedAt),
          ARN: parameterArn(scope, name),
          DataType: 'text',
        },
      };
    },
  },
});

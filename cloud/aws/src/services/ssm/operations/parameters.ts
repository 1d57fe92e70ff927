import type { GetParameterCommandInput, PutParameterCommandInput } from '@aws-sdk/client-ssm';
import { type DelayRange, drawDelay } from '@drover/cloud-engine';
import { type ArnScope, arn } from '../../../account/arn.ts';
import { AwsError, notImplemented } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Operations } from '../../../account/service.ts';
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

/** Parameter Store's operations. */
export const parameterOperations = (aws: AwsNeighbours, parameters: Parameters): Operations => ({
  GetParameter: {
    permissions: ({ Name = '' }: GetParameterCommandInput) => [
      { action: 'ssm:GetParameter', resource: parameterArn(aws, Name) },
    ],
    run: (input: GetParameterCommandInput) => {
      const { name, type, value, dataType, version, changedAt } = parameters.get(input.Name ?? '');
      return {
        Parameter: {
          Name: name,
          Type: type,
          Value: value,
          Version: version,
          LastModifiedDate: new Date(changedAt),
          ARN: parameterArn(aws, name),
          DataType: dataType,
        },
      };
    },
  },
  PutParameter: {
    permissions: ({ Name = '', DataType }: PutParameterCommandInput) => [
      { action: 'ssm:PutParameter', resource: parameterArn(aws, Name) },
      // "… and ec2:DescribeImages" (User Guide, "Native parameter support for Amazon Machine Image IDs").
      ...(DataType === image ? [{ action: 'ec2:DescribeImages', resource: '*' }] : []),
    ],
    run: (input: PutParameterCommandInput) => put(aws, parameters, input),
  },
});

const image = 'aws:ec2:image';
/** Between PutParameter and the end of the validation of an image. AWS names no time. */
const validating: DelayRange = [500, 4_000];

/**
 * "The aws:ec2:image value is validated asynchronously, and the PutParameter call returns before the validation is complete. If you submit
 * an invalid AMI value, the PutParameter operation will return success, but the asynchronous validation will fail and the parameter will
 * not be created or updated." (API Reference, PutParameter.)
 */
function put(aws: AwsNeighbours, parameters: Parameters, input: PutParameterCommandInput) {
  const { Name = '', Value = '', Overwrite = false, DataType } = input;
  const before = parameters.find(Name);
  if (before !== undefined && !Overwrite)
    throw new AwsError(
      'ParameterAlreadyExists',
      'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
    );
  const type = input.Type ?? before?.type;
  if (type === undefined) throw validation('A parameter type is required when you create a parameter.');
  if (type === 'SecureString') throw notImplemented('ssm', 'parameters of the type SecureString');
  if (before !== undefined && before.type !== type)
    throw new AwsError(
      'HierarchyTypeMismatch',
      'The parameter type cannot be changed. Delete the parameter and create it again.',
    );
  const dataType = DataType ?? before?.dataType ?? 'text';
  if (dataType === image) {
    aws.engine.clock.after(drawDelay(aws.engine.random.fork(`ssm/${Name}`), validating), () => {
      if (aws.ec2.isImage(Value)) parameters.put(Name, Value, type, dataType);
    });
    return { Version: (before?.version ?? 0) + 1, Tier: 'Standard' };
  }
  return { Version: parameters.put(Name, Value, type, dataType), Tier: 'Standard' };
}

import {
  DescribeInstanceInformationCommand as DescribeInstanceInformation,
  GetCommandInvocationCommand as GetCommandInvocation,
} from '@aws-sdk/client-ssm';
import type { OperatorSsm } from '@drover/adapters/aws';
import { callsThrough, ssmSdk } from '@drover/adapters/aws/sdk';
import type { OperatorClients } from './io.ts';

/** Systems Manager by the operator's client. */
export const operatorSsm = ({ ssm }: Pick<OperatorClients, 'ssm'>): OperatorSsm =>
  callsThrough({ ...ssmSdk.commands, DescribeInstanceInformation, GetCommandInvocation }, () => ssm);

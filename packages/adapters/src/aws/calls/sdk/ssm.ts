/** Everything of this SDK package that is used. */
import {
  GetParameterCommand as GetParameter,
  ListCommandInvocationsCommand as ListCommandInvocations,
  SendCommandCommand as SendCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';

export { SSMClient as Client };
export const commands = { GetParameter, ListCommandInvocations, SendCommand };

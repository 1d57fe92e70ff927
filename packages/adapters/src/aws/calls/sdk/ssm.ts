/** Everything of this SDK package that is used. */
import * as sdk from '@aws-sdk/client-ssm';

export const Client = sdk.SSMClient;
export const commands = {
  GetParameter: sdk.GetParameterCommand,
  ListCommandInvocations: sdk.ListCommandInvocationsCommand,
  PutParameter: sdk.PutParameterCommand,
  SendCommand: sdk.SendCommandCommand,
};

/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import * as sdk from '@aws-sdk/client-secrets-manager';

export const Client = sdk.SecretsManagerClient;
export const commands = {
  CreateSecret: sdk.CreateSecretCommand,
  DeleteSecret: sdk.DeleteSecretCommand,
  DescribeSecret: sdk.DescribeSecretCommand,
  GetSecretValue: sdk.GetSecretValueCommand,
  ListSecrets: sdk.ListSecretsCommand,
  PutSecretValue: sdk.PutSecretValueCommand,
  TagResource: sdk.TagResourceCommand,
  UpdateSecretVersionStage: sdk.UpdateSecretVersionStageCommand,
};

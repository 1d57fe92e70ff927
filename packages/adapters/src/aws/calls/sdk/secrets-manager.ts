/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import {
  CreateSecretCommand as CreateSecret,
  DeleteSecretCommand as DeleteSecret,
  DescribeSecretCommand as DescribeSecret,
  GetSecretValueCommand as GetSecretValue,
  ListSecretsCommand as ListSecrets,
  PutSecretValueCommand as PutSecretValue,
  SecretsManagerClient,
  TagResourceCommand as TagResource,
  UpdateSecretVersionStageCommand as UpdateSecretVersionStage,
} from '@aws-sdk/client-secrets-manager';

export { SecretsManagerClient as Client };
export const commands = {
  CreateSecret,
  DeleteSecret,
  DescribeSecret,
  GetSecretValue,
  ListSecrets,
  PutSecretValue,
  TagResource,
  UpdateSecretVersionStage,
};

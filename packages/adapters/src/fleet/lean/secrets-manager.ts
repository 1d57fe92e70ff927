/** Stands for `@aws-sdk/client-secrets-manager` in the functions' bundles. */
import { client, command } from './client.ts';
import { jsonProtocol } from './protocols.ts';

export const SecretsManagerClient = client({ name: 'secretsmanager', protocol: jsonProtocol('secretsmanager', '1.1') });
export const CreateSecretCommand = command('CreateSecret', { token: true });
export const PutSecretValueCommand = command('PutSecretValue', { token: true });
export const DeleteSecretCommand = command('DeleteSecret');
export const GetSecretValueCommand = command('GetSecretValue');
export const ListSecretsCommand = command('ListSecrets');

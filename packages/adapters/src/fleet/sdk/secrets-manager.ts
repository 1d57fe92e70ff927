import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SdkConfig } from './config.ts';

export const secretsManagerClient = (config: SdkConfig): SecretsManagerClient => new SecretsManagerClient(config);

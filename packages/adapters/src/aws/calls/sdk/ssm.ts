import { SSMClient } from '@aws-sdk/client-ssm';
import type { SdkConfig } from './config.ts';

export const ssmClient = (config: SdkConfig): SSMClient => new SSMClient(config);

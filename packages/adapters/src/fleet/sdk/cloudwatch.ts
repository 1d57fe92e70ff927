import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SdkConfig } from './config.ts';

export const cloudWatchClient = (config: SdkConfig): CloudWatchClient => new CloudWatchClient(config);

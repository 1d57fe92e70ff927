import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { SdkConfig } from './config.ts';

/** Each client has a file of its own, so that a bundle holds only those that it uses. */
export const autoScalingClient = (config: SdkConfig): AutoScalingClient => new AutoScalingClient(config);

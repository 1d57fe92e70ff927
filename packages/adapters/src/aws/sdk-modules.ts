import { late } from '@drover/core/late';

/** The SDK's packages, each loaded when it is first used: it costs more than most commands. */
export const autoScalingSdk = late(() => import('./sdk/auto-scaling.ts'));
export const cloudWatchSdk = late(() => import('./sdk/cloudwatch.ts'));
export const ec2Sdk = late(() => import('./sdk/ec2.ts'));
export const secretsSdk = late(() => import('./sdk/secrets-manager.ts'));

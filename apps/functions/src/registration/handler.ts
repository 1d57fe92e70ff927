import { lazySender } from '@drover/adapters/fleet/lazy-sender';
import { autoScalingClient } from '@drover/adapters/fleet/sdk/auto-scaling';
import { cloudWatchClient } from '@drover/adapters/fleet/sdk/cloudwatch';
import { secretsManagerClient } from '@drover/adapters/fleet/sdk/secrets-manager';
import { lambdaSurroundings } from '../lambda.ts';
import { registrationFunction } from './registration.ts';

export const handler = registrationFunction(
  lambdaSurroundings((config) => ({
    autoscaling: autoScalingClient(config),
    secrets: lazySender(() => secretsManagerClient(config)),
    cloudwatch: lazySender(() => cloudWatchClient(config)),
  })),
);

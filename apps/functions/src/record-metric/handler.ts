import { lazySender } from '@drover/adapters/fleet/lazy-sender';
import { autoScalingClient } from '@drover/adapters/fleet/sdk/auto-scaling';
import { cloudWatchClient } from '@drover/adapters/fleet/sdk/cloudwatch';
import { secretsManagerClient } from '@drover/adapters/fleet/sdk/secrets-manager';
import { lambdaSurroundings } from '../lambda.ts';
import { recordMetricFunction } from './record-metric.ts';

export const handler = recordMetricFunction(
  lambdaSurroundings((config) => ({
    autoscaling: autoScalingClient(config),
    secrets: lazySender(() => secretsManagerClient(config)),
    cloudwatch: lazySender(() => cloudWatchClient(config)),
  })),
);

import { lazySender } from '@drover/adapters/fleet/lazy-sender';
import { autoScalingClient } from '@drover/adapters/fleet/sdk/auto-scaling';
import { secretsManagerClient } from '@drover/adapters/fleet/sdk/secrets-manager';
import { ssmClient } from '@drover/adapters/fleet/sdk/ssm';
import { lambdaSurroundings } from '../lambda.ts';
import { deregistrationFunction } from './deregistration.ts';

export const handler = deregistrationFunction(
  lambdaSurroundings((config) => ({
    autoscaling: autoScalingClient(config),
    secrets: lazySender(() => secretsManagerClient(config)),
    ssm: lazySender(() => ssmClient(config)),
  })),
);

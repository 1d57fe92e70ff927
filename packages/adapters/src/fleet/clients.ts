import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { lazySender } from './lazy-sender.ts';
import { autoScalingClient } from './sdk/auto-scaling.ts';
import { cloudWatchClient } from './sdk/cloudwatch.ts';
import type { SdkConfig } from './sdk/config.ts';
import { secretsManagerClient } from './sdk/secrets-manager.ts';
import { ssmClient } from './sdk/ssm.ts';

/** The AWS clients of a runner fleet's programs. A simulation gives its own transport. */
export interface FleetClients {
  /** Its configuration also serves the few calls that are signed by hand. */
  readonly autoscaling: Pick<AutoScalingClient, 'send' | 'config'>;
  readonly cloudwatch: Pick<CloudWatchClient, 'send'>;
  readonly secrets: Pick<SecretsManagerClient, 'send'>;
  readonly ssm: Pick<SSMClient, 'send'>;
}

/** Real SDK clients, all but the first made when they are first used. */
export const sdkClients = (config: SdkConfig): FleetClients => ({
  autoscaling: autoScalingClient(config),
  cloudwatch: lazySender(() => cloudWatchClient(config)),
  secrets: lazySender(() => secretsManagerClient(config)),
  ssm: lazySender(() => ssmClient(config)),
});

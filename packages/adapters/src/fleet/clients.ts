import { AutoScalingClient, type AutoScalingClientConfig } from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';

/** The AWS clients of a runner fleet's programs. A simulation gives its own transport. */
export interface FleetClients {
  /** Its configuration also serves the few calls that are signed by hand. */
  readonly autoscaling: Pick<AutoScalingClient, 'send' | 'config'>;
  readonly cloudwatch: Pick<CloudWatchClient, 'send'>;
  readonly secrets: Pick<SecretsManagerClient, 'send'>;
  readonly ssm: Pick<SSMClient, 'send'>;
}

/** Real SDK clients, each made when it is first used. */
export function sdkClients(config: { readonly region: string }): FleetClients {
  const common = config as AutoScalingClientConfig;
  const made = new Map<string, unknown>();
  const once = <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
  return {
    get autoscaling() {
      return once('autoscaling', () => new AutoScalingClient(common));
    },
    get cloudwatch() {
      return once('cloudwatch', () => new CloudWatchClient(common));
    },
    get secrets() {
      return once('secrets', () => new SecretsManagerClient(common));
    },
    get ssm() {
      return once('ssm', () => new SSMClient(common));
    },
  };
}

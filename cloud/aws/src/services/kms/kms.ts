import type { AwsNeighbours, KmsNeighbour } from '../../account/neighbours.ts';
import type { ResourceProviders, ResourceService } from '../../account/service.ts';
import { kmsResources } from './resources.ts';
import { Keys } from './state.ts';

/** AWS KMS: keys as far as their policies matter: a key's policy has the first say. */
export class Kms implements ResourceService, KmsNeighbour {
  readonly resources: ResourceProviders;
  readonly #keys: Keys;

  constructor(aws: AwsNeighbours) {
    this.#keys = new Keys(aws);
    this.resources = kmsResources(this.#keys);
    aws.iam.registerResourcePolicies('kms', (keyArn) => {
      const key = this.#keys.find(keyArn);
      return key && { document: key.policy, gatekeeper: true };
    });
  }

  /** The ARN behind an id or ARN; undefined for keys that AWS manages itself, and unknown ones. */
  arnOf(idOrArn: string): string | undefined {
    return this.#keys.find(idOrArn)?.arn;
  }
}

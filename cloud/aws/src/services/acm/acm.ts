import type { AcmNeighbour, AwsNeighbours } from '../../account/neighbours.ts';
import type { ResourceProviders, ResourceService } from '../../account/service.ts';
import type { Certificate } from './model.ts';
import { acmResources } from './resources.ts';

/** AWS Certificate Manager: public certificates, validated by DNS in a zone of the account. */
export class Acm implements ResourceService, AcmNeighbour {
  readonly resources: ResourceProviders;
  readonly #certificates = new Map<string, Certificate>();

  constructor(aws: AwsNeighbours) {
    this.resources = acmResources(aws, this.#certificates);
  }

  isIssued(arn: string): boolean {
    return this.#certificates.get(arn)?.issuedAt !== undefined;
  }
}

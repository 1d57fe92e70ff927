import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { assumeRole, getCallerIdentity } from './operations.ts';

/** Who am I, and who may I become. */
export class Sts implements AwsService {
  readonly operations: Operations;
  readonly resources: ResourceProviders = {};

  constructor(aws: AwsNeighbours) {
    this.operations = { AssumeRole: assumeRole(aws.iam), GetCallerIdentity: getCallerIdentity };
  }
}

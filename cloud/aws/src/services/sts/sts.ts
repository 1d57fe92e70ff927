import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { assumeRole, getCallerIdentity } from './operations.ts';

/** Identity of the caller, and roles that it may assume. */
export class Sts implements AwsService {
  readonly operations: Operations;
  readonly resources: ResourceProviders = {};

  constructor(aws: AwsNeighbours) {
    this.operations = { AssumeRole: assumeRole(aws.iam), GetCallerIdentity: getCallerIdentity };
  }
}

import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { ec2Operations } from './operations/index.ts';
import { ec2Resources } from './resources/index.ts';
import { Ec2State } from './state.ts';

/** Amazon EC2: instances, launch templates and their networks. */
export class Ec2 extends Ec2State implements AwsService {
  readonly operations: Operations;
  readonly resources: ResourceProviders;

  constructor(aws: AwsNeighbours) {
    super(aws);
    this.operations = ec2Operations(this);
    this.resources = ec2Resources(this);
  }
}

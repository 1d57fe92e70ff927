import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProviders } from '../service.ts';
import { ecsResources } from './resources.ts';

export class Ecs implements AwsService {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders;
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
    this.resources = ecsResources(aws);
  }
}

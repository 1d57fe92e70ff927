import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProviders } from '../service.ts';
import { loadBalancingResources } from './resources.ts';

export class LoadBalancing implements AwsService {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders;
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
    this.resources = loadBalancingResources(aws, aws.engine.random.fork('elasticloadbalancing'));
  }
}

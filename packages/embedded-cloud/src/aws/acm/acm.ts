import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProviders } from '../service.ts';
import { acmResources } from './resources.ts';

export class Acm implements AwsService {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders;
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
    this.resources = acmResources(aws, aws.engine.random.fork('acm'));
  }
}

import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProviders } from '../service.ts';
import { route53Resources } from './resources.ts';

export class Route53 implements AwsService {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders;
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
    this.resources = route53Resources(aws.engine.random.fork('route53'));
  }
}

import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProviders } from '../service.ts';

export class Ssm implements AwsService {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders = {};
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
  }
}

import type { Aws, AwsService } from '../aws.ts';
import { AwsError } from '../errors.ts';
import type { Operations, Permission, ResourceProviders } from '../service.ts';
import type { Credentials, IamSibling, Principal } from '../siblings.ts';

export class Iam implements AwsService, IamSibling {
  readonly operations: Operations = {};
  readonly resources: ResourceProviders = {};
  readonly rootCredentials: Credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  protected readonly aws: Aws;

  constructor(aws: Aws) {
    this.aws = aws;
  }

  principalFor(accessKeyId: string, _sessionToken: string | undefined): Principal {
    if (accessKeyId !== this.rootCredentials.accessKeyId)
      throw new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid.', 403);
    const { accountId } = this.aws;
    return { arn: `arn:aws:iam::${accountId}:root`, accountId, userId: accountId, root: true };
  }

  authorize(_principal: Principal, _permission: Permission, _service: string): void {}

  assumeRoleForService(_roleArn: string, _service: string, _sessionName: string): Credentials {
    return this.rootCredentials;
  }

  roleOfInstanceProfile(_profileArnOrName: string): string | undefined {
    return undefined;
  }
}

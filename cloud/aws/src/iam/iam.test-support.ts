import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import type { Caller, Permission } from '../account/service.ts';

export const account = '123456789012';

export const policy = (...Statement: readonly object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });

export const trust = (service: string): string =>
  policy({ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' });

/** A world in which tests make roles and ask IAM. */
export class IamFixture {
  readonly clock = new VirtualClock();
  readonly world = new World({ clock: this.clock });
  readonly root: Caller = { credentials: this.world.aws.iam.rootCredentials };

  iam(operation: string, input: object, caller: Caller = this.root): Promise<Record<string, never>> {
    return this.world.aws.call('iam', operation, input, caller) as Promise<Record<string, never>>;
  }

  sts(operation: string, input: object, caller: Caller): Promise<Record<string, never>> {
    return this.world.aws.call('sts', operation, input, caller) as Promise<Record<string, never>>;
  }

  /** A role for a service with one inline policy, and credentials of a session of it. */
  async roleWith(name: string, document: string, service = 'lambda.amazonaws.com'): Promise<Caller> {
    await this.iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: trust(service) });
    await this.iam('PutRolePolicy', { RoleName: name, PolicyName: 'p', PolicyDocument: document });
    return this.session(name, 'session', service);
  }

  session(name: string, sessionName: string, service = 'lambda.amazonaws.com'): Caller {
    const roleArn = `arn:aws:iam::${account}:role/${name}`;
    return { credentials: this.world.aws.iam.assumeRoleForService(roleArn, service, sessionName) };
  }

  /** Asks IAM as the dispatcher does: `allowed`, or the message of the refusal. */
  ask(caller: Caller, permission: Permission, service = 'secretsmanager'): string {
    const { accessKeyId, sessionToken } = caller.credentials;
    const { iam } = this.world.aws;
    try {
      iam.authorize(iam.principalFor(accessKeyId, sessionToken), permission, service);
      return 'allowed';
    } catch (error) {
      return (error as Error).message;
    }
  }
}

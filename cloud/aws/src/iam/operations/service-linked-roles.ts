import { globalArn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { IamAccount } from '../identities/account.ts';
import { createRole } from '../identities/identities.ts';
import { describeRole } from './describe.ts';
import { operationOn } from './permission.ts';

interface Input {
  readonly AWSServiceName: string;
  readonly Description?: string;
}

/** How AWS names the roles of the services that templates here can need. */
const names: Readonly<Record<string, string>> = {
  'autoscaling.amazonaws.com': 'AWSServiceRoleForAutoScaling',
  'ecs.amazonaws.com': 'AWSServiceRoleForECS',
  'elasticloadbalancing.amazonaws.com': 'AWSServiceRoleForElasticLoadBalancing',
  'spot.amazonaws.com': 'AWSServiceRoleForEC2Spot',
};

/**
 * A role that belongs to a service. The embedded services act without it, so it carries no policy.
 * "CreateServiceLinkedRole", IAM API reference.
 */
export function createServiceLinkedRole(account: IamAccount) {
  const pathOf = (service: string) => `/aws-service-role/${service}/`;
  return operationOn(
    'CreateServiceLinkedRole',
    ({ AWSServiceName: service }: Input) =>
      globalArn(account.scope, 'iam', `role${pathOf(service)}${names[service] ?? '*'}`),
    ({ AWSServiceName: service, Description }: Input) => {
      const RoleName = names[service];
      if (RoleName === undefined)
        throw new AwsError('InvalidInput', `the embedded cloud knows no service-linked role of ${service}`, 400);
      const statement = { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' };
      const role = createRole(account, {
        RoleName,
        Path: pathOf(service),
        AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [statement] },
        ...(Description !== undefined && { Description }),
      });
      return { Role: describeRole(role) };
    },
    ({ AWSServiceName: service }) => ({ 'iam:AWSServiceName': service }),
  );
}

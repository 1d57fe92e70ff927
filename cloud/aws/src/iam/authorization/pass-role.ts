import type { Permission } from '../../account/service.ts';

/**
 * The permission that a caller needs to hand a role to a service: add it to the permissions of operations that take a
 * role. "Grant a user permissions to pass a role to an AWS service", IAM user guide.
 */
export const passRole = (roleArn: string, toService: string): Permission => ({
  action: 'iam:PassRole',
  resource: roleArn,
  context: { 'iam:PassedToService': toService },
});

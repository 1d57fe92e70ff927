import { AwsError } from '../../account/errors.ts';
import type { AssumeRoleRequest } from '../../account/neighbours.ts';
import type { Credentials, Principal } from '../../account/service.ts';
import { accessDenied } from '../authorization/access-denied.ts';
import { type IamAccount, refuseName } from '../identities/account.ts';
import type { Role } from '../model.ts';
import { contextOf } from '../policy/context.ts';
import { compilePolicy } from '../policy/document.ts';
import { judgeResourcePolicy } from '../policy/evaluate.ts';
import type { Sessions } from './sessions.ts';

const serviceSessionMs = 6 * 3_600_000;

/** Makes the session of a caller. IAM has authorized the call already; these are the rules of the session itself. */
export function assumeRole(account: IamAccount, sessions: Sessions, caller: Principal, request: AssumeRoleRequest) {
  const role = account.model.roleByArn(request.roleArn);
  if (role === undefined || !rootIsTrusted(caller, role)) throw refusal(caller, request.roleArn);
  refuseName('roleSessionName', request.sessionName, 64);
  const principal = sessionPrincipal(account, role, request.sessionName);
  const seconds = checkDuration(role, caller, request.durationSeconds ?? 3600);
  const policy = request.policy === undefined ? undefined : compilePolicy(request.policy, 'identity');
  const { credentials } = sessions.open(principal, seconds * 1000, { tags: request.tags ?? {}, policy });
  return { credentials, principal };
}

const refusal = (caller: Principal, roleArn: string) =>
  accessDenied(
    caller,
    { action: 'sts:AssumeRole', resource: roleArn },
    { allowed: false, explicit: false, because: 'resource-based policy' },
    'sts',
  );

/** Root passes every other check; the role must trust its account all the same. */
function rootIsTrusted(caller: Principal, role: Role): boolean {
  if (!caller.root) return true;
  const question = { action: 'sts:assumerole', resource: role.arn, context: contextOf({}) };
  return judgeResourcePolicy(role.trust.policy, question, { principal: caller }).allowed !== 'none';
}

/** A role that assumes a role gets one hour at most: "Methods to assume a role", section role chaining. */
function checkDuration(role: Role, caller: Principal, seconds: number): number {
  if (!(seconds >= 900)) throw invalid(`DurationSeconds ${seconds} must be at least 900`);
  if (caller.roleArn !== undefined && seconds > 3600)
    throw invalid('The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining');
  if (seconds > role.maxSessionSeconds)
    throw invalid('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.');
  return seconds;
}

const invalid = (message: string) => new AwsError('ValidationError', message, 400);

interface ServiceSession {
  readonly roleArn: string;
  readonly service: string;
  readonly sessionName: string;
  /** Whether the role's trust policy names the service. */
  readonly trusted: boolean;
  readonly sourceInstanceArn?: string;
}

/** Credentials that AWS itself hands to a function, a task or an instance. */
export function assumeRoleForService(account: IamAccount, sessions: Sessions, request: ServiceSession): Credentials {
  const role = account.model.roleByArn(request.roleArn);
  if (role === undefined || !request.trusted)
    throw new AwsError(
      'AccessDenied',
      `${request.service} is not authorized to assume the role ${request.roleArn}`,
      403,
    );
  const principal = sessionPrincipal(account, role, request.sessionName, request.sourceInstanceArn);
  return sessions.open(principal, serviceSessionMs).credentials;
}

function sessionPrincipal(account: IamAccount, role: Role, sessionName: string, sourceInstanceArn?: string): Principal {
  const { accountId } = account.scope;
  return {
    arn: `arn:aws:sts::${accountId}:assumed-role/${role.name}/${sessionName}`,
    accountId,
    userId: `${role.id}:${sessionName}`,
    roleArn: role.arn,
    ...(sourceInstanceArn === undefined ? {} : { sourceInstanceArn }),
  };
}

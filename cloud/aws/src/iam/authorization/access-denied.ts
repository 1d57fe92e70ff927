import { AwsError } from '../../account/errors.ts';
import type { Permission, Principal } from '../../account/service.ts';
import type { Decision } from '../policy/decide.ts';

type Denial = Extract<Decision, { allowed: false }>;

/**
 * Services of the JSON protocols return `…Exception` with 400, the XML ones the short code with 403; some have a code
 * of their own.
 */
const deniedCodes: Readonly<Record<string, readonly [code: string, status: number]>> = {
  acm: ['AccessDeniedException', 400],
  ec2: ['UnauthorizedOperation', 403],
  ecs: ['AccessDeniedException', 400],
  events: ['AccessDeniedException', 400],
  kms: ['AccessDeniedException', 400],
  lambda: ['AccessDeniedException', 403],
  logs: ['AccessDeniedException', 400],
  secretsmanager: ['AccessDeniedException', 400],
  ssm: ['AccessDeniedException', 400],
};

/** The refusal as the service would word it: "Troubleshoot access denied error messages", IAM user guide. */
export function accessDenied(principal: Principal, permission: Permission, denial: Denial, service: string): AwsError {
  const [code, status] = deniedCodes[service] ?? ['AccessDenied', 403];
  const sentence = `User: ${principal.arn} is not authorized to perform: ${permission.action}${onResource(permission)}${reason(permission, denial)}`;
  const message = service === 'ec2' ? `You are not authorized to perform this operation. ${sentence}` : sentence;
  return new AwsError(code, message, status);
}

const onResource = ({ resource }: Permission) => (resource === '*' ? '' : ` on resource: ${resource}`);

function reason({ action }: Permission, denial: Denial): string {
  // AssumeRole never says which side refused.
  if (action === 'sts:AssumeRole' || action === 'sts:TagSession') return '';
  if (denial.explicit) return ` with an explicit deny in ${article(denial.because)}`;
  return ` because no ${denial.because} allows the ${action} action`;
}

const article = (type: string) => (type.startsWith('identity') ? `an ${type}` : `a ${type}`);

/** Codes for credentials that are unknown, by service; query services share the first. */
const unknownKeyCodes: Readonly<Record<string, string>> = {
  ec2: 'AuthFailure',
  s3: 'InvalidAccessKeyId',
  ...Object.fromEntries(
    ['ecs', 'events', 'lambda', 'logs', 'secretsmanager', 'ssm'].map((service) => [
      service,
      'UnrecognizedClientException',
    ]),
  ),
};

export function unknownCredentials(service = 'sts'): AwsError {
  const code = unknownKeyCodes[service] ?? 'InvalidClientTokenId';
  const message: Readonly<Record<string, string>> = {
    AuthFailure: 'AWS was not able to validate the provided access credentials',
    InvalidAccessKeyId: 'The AWS Access Key Id you provided does not exist in our records.',
  };
  const status = code === 'AuthFailure' ? 401 : code === 'UnrecognizedClientException' ? 400 : 403;
  return new AwsError(code, message[code] ?? 'The security token included in the request is invalid.', status);
}

export function expiredCredentials(service = 'sts'): AwsError {
  if (service === 'ec2') return new AwsError('RequestExpired', 'Request has expired.', 400);
  const json = unknownKeyCodes[service] === 'UnrecognizedClientException';
  if (service === 's3') return new AwsError('ExpiredToken', 'The provided token has expired.', 400);
  const message = 'The security token included in the request is expired';
  return new AwsError(json ? 'ExpiredTokenException' : 'ExpiredToken', message, json ? 400 : 403);
}

import { DroverError, TerminalError, TransientError } from '@drover/core/errors';
import type { AwsCalls } from './calls.ts';

/** A failure as AWS returned it: its name is AWS's error code, like that of the SDK's errors. */
export class AwsCallError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  /** AWS's own message. */
  readonly reason: string;

  constructor(operation: string, failure: { readonly code: string; readonly reason: string; readonly status: number }) {
    super(`${operation}: ${failure.reason}`);
    this.name = failure.code;
    this.reason = failure.reason;
    this.$metadata = { httpStatusCode: failure.status };
  }
}

/** Text for a failure whose response has none. */
export const noReason = (status: number | undefined): string => `AWS returned ${status}`;

export interface AwsFailure extends Error {
  readonly reason?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: unknown;
}

/** AWS's error code, of an error of AWS or of one that explains it. */
export const awsCode = (error: unknown): string =>
  ((error as Error).cause as Error | undefined)?.name ?? (error as Error).name;

/** Whether AWS failed with one of these codes, and with such a message. */
export const hasCode =
  (code: RegExp, message = /(?:)/) =>
  (error: unknown): boolean =>
    code.test(awsCode(error)) && message.test((error as Error).message);

/** As IAM names them, where the signing name is another. */
const iamPrefix: Readonly<Record<string, string>> = { monitoring: 'cloudwatch' };

/** A service whose failures say which call failed, AWS's code and message, whether trying again can help, and what to do. */
export function explained<Service extends keyof AwsCalls>(
  aws: Pick<AwsCalls, Service>,
  service: Service,
): AwsCalls[Service] {
  const calls = aws[service] as (operation: string, input: unknown) => Promise<unknown>;
  const call = async (operation: string, input: unknown) => {
    try {
      return await calls(operation, input);
    } catch (error) {
      throw explain(`${iamPrefix[service] ?? service}:${operation}`, error as AwsFailure);
    }
  };
  return call as AwsCalls[Service];
}

function explain(action: string, error: AwsFailure): Error {
  if (error instanceof DroverError) return error;
  const message = `${action}: AWS says ${error.name}: ${error.reason ?? error.message}`;
  const cause = { cause: error };
  if (error.name === 'CredentialsProviderError' || error.name === 'ExpiredTokenException')
    return new TerminalError(message, {
      ...cause,
      remedy: 'give AWS credentials: an instance profile, AWS_PROFILE or AWS_ACCESS_KEY_ID',
    });
  if (/Region is missing/.test(error.message))
    return new TerminalError(message, { ...cause, remedy: 'set AWS_REGION' });
  if (/AccessDenied|Unauthorized/.test(error.name))
    return new TerminalError(message, { ...cause, remedy: `allow ${action} in the role's policy` });
  if (isTransient(error)) return new TransientError(message, cause);
  return new TerminalError(message, cause);
}

const isTransient = (error: AwsFailure) =>
  /Throttl|TooManyRequests|Timeout|RequestLimitExceeded|ServiceUnavailable|InternalFailure|InternalError|ECONN|ENOTFOUND/.test(
    error.name,
  ) ||
  (error.$metadata?.httpStatusCode ?? 0) >= 500 ||
  error.$retryable !== undefined ||
  'code' in error;

import { TerminalError, TransientError } from '@drover/core/errors';

interface AwsFailure extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: unknown;
}

/** Makes one call and says in our words what went wrong: the call, AWS's own code and message, what to do. */
export async function call<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw translate(what, error as AwsFailure);
  }
}

/** AWS's code of an error, behind our words or not. */
export const awsCode = (error: unknown): string =>
  ((error as Error).cause as Error | undefined)?.name ?? (error as Error).name;

function translate(what: string, error: AwsFailure): Error {
  const message = `${what}: AWS says ${error.name}: ${error.message}`;
  const cause = { cause: error };
  if (error.name === 'CredentialsProviderError' || error.name === 'ExpiredTokenException')
    return new TerminalError(message, {
      ...cause,
      remedy: 'give AWS credentials: an instance profile, AWS_PROFILE or AWS_ACCESS_KEY_ID',
    });
  if (/Region is missing/.test(error.message))
    return new TerminalError(message, { ...cause, remedy: 'set AWS_REGION' });
  if (/AccessDenied|Unauthorized/.test(error.name))
    return new TerminalError(message, { ...cause, remedy: `allow ${what.split(' ')[0]} in the role's policy` });
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

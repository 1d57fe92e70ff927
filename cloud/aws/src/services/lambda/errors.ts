import { AwsError } from '../../account/errors.ts';
import type { FunctionError } from './model.ts';

const notFound = (what: string) =>
  new AwsError('ResourceNotFoundException', `${what} not found`, 404, { Type: 'User' });

export const functionNotFound = (arn: string) => notFound(`Function: ${arn}`);
export const conflict = (message: string) => new AwsError('ResourceConflictException', message, 409, { Type: 'User' });
export const invalidValue = (message: string) =>
  new AwsError('InvalidParameterValueException', message, 400, { Type: 'User' });

/** (Developer Guide, "Lambda quotas" and API Reference, Invoke.) */
export const tooManyRequests = (reserved: boolean) =>
  new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429, {
    Type: 'User',
    Reason: reserved ? 'ReservedFunctionConcurrentInvocationLimitExceeded' : 'ConcurrentInvocationLimitExceeded',
  });

export const recursiveInvocation = () =>
  new AwsError(
    'RecursiveInvocationException',
    "Lambda has detected your function being invoked in a recursive loop with other Amazon Web Services resources and stopped your function's invocation.",
    400,
    { Type: 'User' },
  );

/** A handler's error as the Node.js runtime reports it: name, message and the lines of the stack. */
export function functionError(error: unknown): FunctionError {
  if (!(error instanceof Error) && !isErrorLike(error))
    return { errorType: typeof error, errorMessage: typeof error === 'string' ? error : String(error), trace: [] };
  return {
    errorType: error.name || 'Error',
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n'),
  };
}

const isErrorLike = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && 'name' in error;

/** The environment's process ended by itself or was killed. */
export const exitError = (requestId: string, how: string): FunctionError => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${how}`,
});

export const timedOut = (requestId: string, seconds: number): FunctionError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
});

/** A file of the package that the user whom Lambda runs functions as cannot read, as Node reports it. */
export const permissionDenied = (path: string) =>
  Object.assign(new Error(`EACCES: permission denied, open '/var/task/${path}'`), { code: 'EACCES', errno: -13 });

/** The package cannot be loaded. */
export class LoadError extends Error {
  constructor(type: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
  }
}

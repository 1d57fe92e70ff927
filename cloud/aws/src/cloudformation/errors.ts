import { AwsError, ResourceFailure } from '../account/errors.ts';

export { ResourceFailure };

/** CloudFormation's error for a request that it does not even begin to carry out. */
export const validationError = (message: string): AwsError => new AwsError('ValidationError', message, 400);

/** A template that cannot be read or that refers to something it does not declare. */
export const templateFormatError = (message: string): AwsError => validationError(`Template format error: ${message}`);

/** An intrinsic function that cannot be carried out. */
export const templateError = (message: string): AwsError => validationError(`Template error: ${message}`);

/** The reason of a resource event for anything that a provider threw. */
export function failureReason(error: unknown): string {
  if (error instanceof ResourceFailure || isTemplateError(error)) return error.message;
  if (error instanceof AwsError)
    return `Resource handler returned message: "${error.message}" (Error Code: ${error.code}, Status Code: ${error.status})`;
  return `Internal Failure: ${error instanceof Error ? error.message : String(error)}`;
}

const isTemplateError = (error: unknown): error is AwsError =>
  error instanceof AwsError && error.code === 'ValidationError' && error.message.startsWith('Template ');

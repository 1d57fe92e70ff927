import { AwsError } from '../../account/errors.ts';

/** Most refusals of Auto Scaling are of this code, with a sentence that says why. */
export const validationError = (message: string): AwsError => new AwsError('ValidationError', message, 400);

export const groupNotFound = (name: string | undefined): AwsError =>
  validationError(`AutoScalingGroup name not found - AutoScalingGroup ${name} not found`);

export const alreadyExists = (message: string): AwsError => new AwsError('AlreadyExists', message, 400);

export const resourceInUse = (message: string): AwsError => new AwsError('ResourceInUse', message, 400);

export const scalingActivityInProgress = (message: string): AwsError =>
  new AwsError('ScalingActivityInProgress', message, 400);

export const limitExceeded = (message: string): AwsError => new AwsError('LimitExceeded', message, 400);

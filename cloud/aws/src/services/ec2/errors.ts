import { AwsError } from '../../account/errors.ts';

/** `<code>: <message>` as EC2 reports a bad request. */
export const ec2Error = (code: string, message: string): AwsError => new AwsError(code, message, 400);

/** `InvalidXID.NotFound` with EC2's wording: "The instance ID 'i-1' does not exist". */
export const notFound = (code: string, noun: string, id: string): AwsError =>
  ec2Error(code, `The ${noun} '${id}' does not exist`);

export const missingParameter = (name: string): AwsError =>
  ec2Error('MissingParameter', `The request must contain the parameter ${name}`);

export const invalidParameter = (message: string): AwsError => ec2Error('InvalidParameterValue', message);

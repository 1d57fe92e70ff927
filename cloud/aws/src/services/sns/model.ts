import { AwsError } from '../../account/errors.ts';

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: string;
  readonly endpoint: string;
  /** Email and HTTP subscriptions wait until a person confirms. */
  confirmed: boolean;
}

export interface Topic {
  readonly arn: string;
  readonly name: string;
  /** As the API names them. */
  readonly attributes: Map<string, string>;
  tags: Record<string, string>;
  readonly subscriptions: Map<string, Subscription>;
}

/** A published message. */
export interface Notification {
  readonly subject: string;
  readonly message: string;
}

export const noTopic = () => new AwsError('NotFound', 'Topic does not exist', 404);
export const invalidParameter = (message: string) => new AwsError('InvalidParameter', `Invalid parameter: ${message}`);

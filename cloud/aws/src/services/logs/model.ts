import { AwsError } from '../../account/errors.ts';

/** Whether a log line matches a filter pattern. */
export type LineMatcher = (message: string) => boolean;

export interface LogEvent {
  readonly id: string;
  readonly stream: string;
  readonly timestamp: number;
  readonly ingestedAt: number;
  readonly message: string;
}

export interface LogStream {
  readonly name: string;
  readonly createdAt: number;
  firstEventAt?: number;
  lastEventAt?: number;
  lastIngestedAt?: number;
  storedBytes: number;
}

export interface LogGroup {
  readonly name: string;
  readonly createdAt: number;
  retentionDays: number | undefined;
  kmsKeyId: string | undefined;
  tags: Record<string, string>;
  readonly streams: Map<string, LogStream>;
  /** In the order of arrival; the oldest are dropped. */
  events: LogEvent[];
  storedBytes: number;
}

export const notFound = (what: string) =>
  new AwsError('ResourceNotFoundException', `The specified ${what} does not exist.`);
export const alreadyExists = (what: string) =>
  new AwsError('ResourceAlreadyExistsException', `The specified ${what} already exists`);
export const invalidParameter = (message: string) => new AwsError('InvalidParameterException', message);

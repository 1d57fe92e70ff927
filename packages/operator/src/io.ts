import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Clock, Random } from '@drover/core';

/** The AWS clients of an operator. */
export interface OperatorClients {
  readonly autoscaling: AutoScalingClient;
  readonly cloudformation: CloudFormationClient;
  readonly cloudwatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
  readonly ec2: Pick<EC2Client, 'send'>;
  readonly lambda: Pick<LambdaClient, 'send'>;
  readonly s3: Pick<S3Client, 'send'>;
  readonly secrets: Pick<SecretsManagerClient, 'send'>;
  readonly ssm: SSMClient;
}

/** Everything that the command touches of the outside. A test gives its own: no sockets, its own clock. */
export interface DroverIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The time of the services that are asked: ages are measured by it. @default clock */
  readonly serviceClock?: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /** Builds what a command runs, once its options are known to be right. @default it is built */
  readonly prepare?: () => Promise<void>;
  /** A person at a terminal. @default none: no colour, and no one to ask */
  readonly terminal?: {
    readonly colour: boolean;
    /** Width of the terminal on stdout. */
    readonly columns?: number;
    readonly ask?: (question: string) => Promise<string>;
  };
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  aws(): Promise<OperatorClients>;
}

/** The moment by which ages are measured. */
export const serviceNow = ({ serviceClock, clock }: Pick<DroverIo, 'serviceClock' | 'clock'>): number =>
  (serviceClock ?? clock).now();

/** Waits; false after Ctrl-C. */
export const pause = ({ clock, signal }: Pick<DroverIo, 'clock' | 'signal'>, ms: number): Promise<boolean> =>
  clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );

/** Resolves at Ctrl-C. */
export const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

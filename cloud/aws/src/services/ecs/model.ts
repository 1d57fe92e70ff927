import type { HttpHandler } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import { AwsError } from '../../account/errors.ts';

/** The world as a container sees it. */
export interface TaskContext {
  readonly address: string;
  /** Environment and secrets of the container, by name. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: Random;
  /** The network, from the task's own interface. */
  readonly http: HttpHandler;
  /** Aborted when the task is stopped. */
  readonly signal: AbortSignal;
  /** A line into the container's log. */
  log(line: string): void;
}

/**
 * The program of a container image: returns the handler that listens on its port. Throwing means that the container has
 * exited.
 */
export type TaskProgram = (context: TaskContext) => Promise<HttpHandler>;

export interface ContainerDefinition {
  readonly Name: string;
  readonly Image: string;
  readonly Environment?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Secrets?: readonly { readonly Name: string; readonly ValueFrom: string }[];
  readonly PortMappings?: readonly { readonly ContainerPort: number }[];
  readonly LogConfiguration?: { readonly LogDriver: string; readonly Options?: Readonly<Record<string, string>> };
}

export interface TaskDefinition {
  readonly arn: string;
  readonly family: string;
  readonly revision: number;
  readonly cpu: string;
  readonly memory: string;
  readonly executionRoleArn: string | undefined;
  readonly taskRoleArn: string | undefined;
  readonly containers: readonly ContainerDefinition[];
}

type TaskStatus = 'PROVISIONING' | 'PENDING' | 'RUNNING' | 'DEPROVISIONING' | 'STOPPED';

export interface Task {
  readonly arn: string;
  readonly deploymentId: string;
  readonly definition: TaskDefinition;
  readonly address: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly createdAt: number;
  readonly stopping: AbortController;
  status: TaskStatus;
  startedAt: number | undefined;
  stoppedReason: string | undefined;
  /** Listens on the container's port. */
  site: HttpHandler | undefined;
}

interface ServiceBalancer {
  readonly targetGroupArn: string;
  readonly containerPort: number;
}

export interface Service {
  readonly arn: string;
  readonly name: string;
  readonly clusterName: string;
  readonly createdAt: number;
  definition: TaskDefinition;
  desiredCount: number;
  subnetIds: readonly string[];
  securityGroupIds: readonly string[];
  balancers: readonly ServiceBalancer[];
  minimumHealthyPercent: number;
  maximumPercent: number;
  graceSeconds: number;
  /** The tasks of the newest deployment replace all others. */
  deploymentId: string;
  deployedAt: number;
  /** Tasks in a row that never ran. */
  failures: number;
  readonly tasks: Map<string, Task>;
}

export const noCluster = () => new AwsError('ClusterNotFoundException', 'Cluster not found.');
export const noService = () => new AwsError('ServiceNotFoundException', 'Service not found.');
export const invalid = (message: string) => new AwsError('InvalidParameterException', message);

/** Those that count for a service. */
export const isAlive = ({ status }: Task): boolean => status !== 'STOPPED' && status !== 'DEPROVISIONING';

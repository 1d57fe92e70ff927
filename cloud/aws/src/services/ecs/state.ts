import { every } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { invalid, noService, type Service, type TaskDefinition } from './model.ts';
import { reconcileEveryMs, reconcileService } from './reconcile.ts';
import type { Tasks } from './tasks.ts';

type Settings = Pick<
  Service,
  | 'definition'
  | 'desiredCount'
  | 'subnetIds'
  | 'securityGroupIds'
  | 'balancers'
  | 'minimumHealthyPercent'
  | 'maximumPercent'
  | 'graceSeconds'
>;

/** Clusters, task definitions and the services that are kept running. */
export class Containers {
  readonly clusters = new Set<string>();
  readonly definitions = new Map<string, TaskDefinition>();
  readonly services = new Map<string, Service>();
  readonly #aws: AwsNeighbours;
  readonly #tasks: Tasks;
  readonly #ids: Random;
  #timer: { cancel(): void } | undefined;

  constructor(aws: AwsNeighbours, tasks: Tasks) {
    this.#aws = aws;
    this.#tasks = tasks;
    this.#ids = aws.engine.random.fork('ecs deployments');
  }

  createService(name: string, clusterName: string, settings: Settings): Service {
    const now = this.#aws.engine.clock.now();
    const service: Service = {
      arn: arn(this.#aws, 'ecs', `service/${clusterName}/${name}`),
      name,
      clusterName,
      createdAt: now,
      ...settings,
      deploymentId: this.#newDeployment(),
      deployedAt: now,
      failures: 0,
      tasks: new Map(),
    };
    this.services.set(service.arn, service);
    this.#timer ??= every(this.#aws.engine.clock, reconcileEveryMs, () => this.#reconcileAll());
    return service;
  }

  /** New tasks replace the ones that run, also when nothing else has changed. */
  deploy(service: Service, settings: Partial<Settings>): void {
    Object.assign(service, settings, {
      deploymentId: this.#newDeployment(),
      deployedAt: this.#aws.engine.clock.now(),
      failures: 0,
    });
  }

  removeService(serviceArn: string): void {
    const service = this.services.get(serviceArn);
    for (const task of service?.tasks.values() ?? []) this.#tasks.stop(service!, task, 'Service was deleted');
    this.services.delete(serviceArn);
    if (this.services.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** By ARN or name. */
  service(reference: string | undefined, cluster?: string): Service {
    const clusterName = cluster?.split('/').at(-1);
    const found = [...this.services.values()].find(
      (service) =>
        (service.arn === reference || service.name === reference) &&
        (clusterName === undefined || service.clusterName === clusterName),
    );
    if (found === undefined) throw noService();
    return found;
  }

  /** By ARN, `family:revision`, or `family` for the newest. */
  definition(reference: string | undefined): TaskDefinition {
    const all = [...this.definitions.values()].reverse();
    const found = all.find(({ arn: own, family, revision }) =>
      [own, family, `${family}:${revision}`].includes(reference ?? ''),
    );
    if (found === undefined) throw invalid('TaskDefinition not found.');
    return found;
  }

  #reconcileAll(): void {
    for (const service of this.services.values()) reconcileService(this.#aws, this.#tasks, service);
  }

  #newDeployment(): string {
    return `ecs-svc/${this.#ids.int(10 ** 15, 9 * 10 ** 15)}`;
  }
}

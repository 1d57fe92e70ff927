import type { Network } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { ContainerDefinition, Service, Task, TaskContext, TaskProgram } from './model.ts';

const provisioningMs = 20_000;
const pullingMs = 15_000;

/** Starts and stops tasks on Fargate. */
export class Tasks {
  readonly #aws: AwsNeighbours;
  readonly #programs: { readonly image: RegExp; readonly program: TaskProgram }[] = [];
  /** Of its own: every request draws from the engine's, also those that only look. */
  readonly #ids: Random;
  #network: Network | undefined;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#ids = aws.engine.random.fork('ecs tasks');
  }

  connect(network: Network): void {
    this.#network = network;
  }

  registerImage(image: RegExp, program: TaskProgram): void {
    this.#programs.unshift({ image, program });
  }

  /** A task of the service's current deployment, in the subnet that has the fewest. */
  start(service: Service): void {
    const count = (subnetId: string) => [...service.tasks.values()].filter((task) => task.subnetId === subnetId).length;
    const [subnetId] = [...service.subnetIds].sort((a, b) => count(a) - count(b));
    // A subnet may be deleted under a service: its scheduler goes on, and so does the process that serves the world.
    if (subnetId === undefined || this.#aws.ec2.vpcOfSubnet(subnetId) === undefined) {
      service.failures += 1;
      return;
    }
    const task: Task = {
      arn: arn(this.#aws, 'ecs', `task/${service.clusterName}/${this.#ids.hex(32)}`),
      deploymentId: service.deploymentId,
      definition: service.definition,
      address: this.#aws.ec2.takeAddress(subnetId),
      subnetId,
      securityGroupIds: service.securityGroupIds,
      createdAt: this.#aws.engine.clock.now(),
      stopping: new AbortController(),
      status: 'PROVISIONING',
      startedAt: undefined,
      stoppedReason: undefined,
      site: undefined,
    };
    service.tasks.set(task.arn, task);
    void this.#run(service, task).catch((error: Error) => {
      service.failures += 1;
      this.stop(service, task, error.message);
    });
  }

  /** Out of the load balancer first, then gone. */
  stop(service: Service, task: Task, reason: string): void {
    if (task.stopping.signal.aborted) return;
    for (const { targetGroupArn, containerPort } of service.balancers)
      this.#aws.elbv2.deregisterTarget(targetGroupArn, task.address, containerPort);
    task.stopping.abort();
    task.site = undefined;
    task.stoppedReason = reason;
    this.#become(task, 'STOPPED');
    service.tasks.delete(task.arn);
    this.#aws.ec2.releaseAddress(task.subnetId, task.address);
  }

  async #run(service: Service, task: Task): Promise<void> {
    const { clock } = this.#aws.engine;
    await clock.sleep(provisioningMs);
    this.#become(task, 'PENDING');
    const [container] = task.definition.containers;
    const program = this.#programOf(container!.Image);
    const environment = await this.#environmentOf(task, container!);
    await clock.sleep(pullingMs);
    const site = await program(this.#context(task, container!, environment));
    if (task.stopping.signal.aborted) return;
    task.site = site;
    task.startedAt = clock.now();
    service.failures = 0;
    this.#become(task, 'RUNNING');
    for (const { targetGroupArn, containerPort } of service.balancers)
      this.#aws.elbv2.registerTarget(targetGroupArn, task.address, containerPort);
  }

  #programOf(image: string): TaskProgram {
    const found = this.#programs.find((entry) => entry.image.test(image));
    if (found !== undefined) return found.program;
    throw new Error(`CannotPullContainerError: no program is registered for the image ${image}`);
  }

  /** Secrets are read with the execution role when the task starts, and only then. (Developer Guide, "Pass sensitive data to an Amazon ECS container".) */
  async #environmentOf(task: Task, container: ContainerDefinition): Promise<Record<string, string>> {
    const environment = Object.fromEntries((container.Environment ?? []).map(({ Name, Value }) => [Name, Value]));
    for (const { Name, ValueFrom } of container.Secrets ?? [])
      environment[Name] = await this.#secret(task, ValueFrom).catch((error: Error) => {
        throw new Error(`ResourceInitializationError: unable to pull secrets or registry auth: ${error.message}`);
      });
    return environment;
  }

  async #secret(task: Task, valueFrom: string): Promise<string> {
    const { executionRoleArn } = task.definition;
    if (executionRoleArn === undefined) throw new Error('the task definition has no execution role');
    // `arn:…:secret:name-suffix`, then optionally `:json-key:version-stage:version-id`.
    const parts = valueFrom.split(':');
    const SecretId = parts.slice(0, 7).join(':');
    const [jsonKey = '', stage = ''] = parts.slice(7);
    const credentials = this.#aws.iam.assumeRoleForService(
      executionRoleArn,
      'ecs-tasks.amazonaws.com',
      task.arn.slice(-32),
    );
    const input = { SecretId, ...(stage === '' ? {} : { VersionStage: stage }) };
    const answer = await this.#aws.call('secretsmanager', 'GetSecretValue', input, { credentials });
    const { SecretString } = answer as { SecretString: string };
    return jsonKey === '' ? SecretString : String(JSON.parse(SecretString)[jsonKey]);
  }

  #context(task: Task, container: ContainerDefinition, environment: Readonly<Record<string, string>>): TaskContext {
    const { engine, logs } = this.#aws;
    const options = container.LogConfiguration?.Options ?? {};
    const group = options['awslogs-group'];
    const stream = `${options['awslogs-stream-prefix'] ?? 'ecs'}/${container.Name}/${task.arn.split('/').at(-1)}`;
    return {
      address: task.address,
      environment,
      clock: engine.clock,
      random: engine.random.fork(task.arn),
      http: this.#network!.from({
        kind: 'task',
        name: task.arn,
        subnetIds: [task.subnetId],
        address: task.address,
        securityGroupIds: task.securityGroupIds,
      }),
      signal: task.stopping.signal,
      log: (line) => (group === undefined ? undefined : logs.append(group, stream, line)),
    };
  }

  #become(task: Task, status: Task['status']): void {
    const name = `${task.status} -> ${status}`;
    task.status = status;
    const detail = task.stoppedReason === undefined ? {} : { detail: { because: task.stoppedReason } };
    this.#aws.engine.journal.record({ kind: 'transition', source: 'aws.ecs', name, subject: task.arn, ...detail });
  }
}

import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import {
  type CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  type Instance,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { minutes, nameOf, prefix, seconds } from './experiment.ts';
import { type Time, until } from './lab.ts';

export interface AccountClients {
  readonly autoscaling: AutoScalingClient;
  readonly cloudformation: CloudFormationClient;
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
}

/** The newest Amazon Linux and Debian, by the public parameters that name them. */
export const images = {
  amazon: '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64',
  debian: '/aws/service/debian/release/13/latest/amd64',
};

/** An account of AWS in which each experiment has one stack: what is in it goes with it. */
export class Account {
  readonly clients: AccountClients;
  readonly #time: Time;
  readonly #subnet: string | undefined;

  constructor(clients: AccountClients, time: Time, subnet?: string) {
    this.clients = clients;
    this.#time = time;
    this.#subnet = subnet;
  }

  /** The subnet that was named, or a default one. */
  async subnet(): Promise<string> {
    if (this.#subnet !== undefined) return this.#subnet;
    const Filters = [{ Name: 'default-for-az', Values: ['true'] }];
    const { Subnets } = await this.clients.ec2.send(new DescribeSubnetsCommand({ Filters }));
    const [first] = (Subnets ?? []).map(({ SubnetId }) => SubnetId ?? '').sort();
    if (first === undefined) throw new Error('there is no default subnet: name one with --subnet');
    return first;
  }

  /** Creates the stack of an experiment and waits for it. */
  async deploy(id: string, resources: object): Promise<void> {
    const StackName = nameOf(id);
    const TemplateBody = JSON.stringify({ Resources: resources });
    const Tags = [{ Key: prefix, Value: id }];
    await this.clients.cloudformation.send(new CreateStackCommand({ StackName, TemplateBody, Tags }));
    const end = await until(this.#time, async () => ended(await this.#status(id)), minutes(15));
    if (end !== 'CREATE_COMPLETE') throw new Error(`the stack ${StackName} is ${end ?? 'not made after 15 minutes'}`);
  }

  async group(id: string) {
    const input = { AutoScalingGroupNames: [nameOf(id)] };
    const { AutoScalingGroups } = await this.clients.autoscaling.send(new DescribeAutoScalingGroupsCommand(input));
    return AutoScalingGroups?.[0];
  }

  /** Members of the group of an experiment that are in service, of which there must be this many. */
  async inService(id: string, count: number, limitMs = minutes(10)): Promise<readonly string[]> {
    const look = async () => {
      const members = (await this.group(id))?.Instances ?? [];
      const serving = members.filter(({ LifecycleState }) => LifecycleState === 'InService');
      return serving.length >= count && serving.map(({ InstanceId }) => InstanceId ?? '');
    };
    const found = await until(this.#time, look, limitMs);
    if (found === undefined)
      throw new Error(`${count} instances were not in service within ${limitMs / 60_000} minutes`);
    return found;
  }

  async instances(ids: readonly string[]): Promise<readonly Instance[]> {
    const { Reservations } = await this.clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [...ids] }));
    return (Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
  }

  /** The stack and the instances that an experiment has left here, in words. */
  async left(id: string): Promise<readonly string[]> {
    const status = await this.#status(id);
    const stack = status === undefined ? [] : [`the stack ${nameOf(id)} (${status})`];
    return [...stack, ...(await this.#own(id)).map((instance) => `the instance ${instance}`)];
  }

  /** Ends the instances of an experiment that no group has, and deletes its stack. */
  async clean(id: string): Promise<void> {
    const own = await this.#own(id);
    if (own.length > 0) await this.clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...own] }));
    if ((await this.#status(id)) === undefined) return;
    await this.clients.cloudformation.send(new DeleteStackCommand({ StackName: nameOf(id) }));
    const gone = async () => (await this.#status(id)) === undefined;
    if ((await until(this.#time, gone, minutes(20), seconds(10))) === undefined)
      throw new Error(`the stack ${nameOf(id)} is not deleted after 20 minutes`);
  }

  /** Instances that an experiment launched by itself; those of a group end with it. */
  async #own(id: string): Promise<readonly string[]> {
    const states = ['pending', 'running', 'stopping', 'stopped'];
    const Filters = [
      { Name: `tag:${prefix}-launched`, Values: [id] },
      { Name: 'instance-state-name', Values: states },
    ];
    const { Reservations } = await this.clients.ec2.send(new DescribeInstancesCommand({ Filters }));
    return (Reservations ?? []).flatMap(({ Instances }) => (Instances ?? []).map(({ InstanceId }) => InstanceId ?? ''));
  }

  /** Undefined: there is no such stack. */
  async #status(id: string): Promise<string | undefined> {
    const input = { StackName: nameOf(id) };
    const { Stacks } = await this.clients.cloudformation
      .send(new DescribeStacksCommand(input))
      .catch((error: Error) => {
        if (!/does not exist/.test(error.message)) throw error;
        return { Stacks: [] };
      });
    const status = Stacks?.[0]?.StackStatus;
    return status === 'DELETE_COMPLETE' ? undefined : status;
  }
}

const ended = (status: string | undefined) => status !== undefined && !status.endsWith('_IN_PROGRESS') && status;

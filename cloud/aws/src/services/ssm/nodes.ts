import type { AwsNeighbours, Ec2Instance, RemoteAgent } from '../../account/neighbours.ts';
import { invalidInstances, type ManagedNode } from './model.ts';

/** An agent that was silent for longer than its five-minute ping is ConnectionLost. (API Reference, InstanceInformation.) */
const pingPeriodMs = 300_000;

/** The nodes whose agent has registered. */
export class ManagedNodes {
  readonly #aws: AwsNeighbours;
  readonly #nodes = new Map<string, ManagedNode>();

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
  }

  register(instanceId: string, agent: RemoteAgent): void {
    const now = this.#aws.engine.clock.now();
    const registeredAt = this.#nodes.get(instanceId)?.registeredAt ?? now;
    this.#nodes.set(instanceId, { instanceId, agent, registeredAt, lastSeenAt: now });
  }

  unregister(instanceId: string): void {
    this.#nodes.delete(instanceId);
  }

  get(instanceId: string): ManagedNode | undefined {
    return this.#nodes.get(instanceId);
  }

  all(): readonly ManagedNode[] {
    return [...this.#nodes.values()];
  }

  instance(instanceId: string): Ec2Instance | undefined {
    return this.#aws.ec2.instances.get(instanceId);
  }

  /**
   * Refuses nodes that never registered, and those that are shutting down or terminated; a stopped node or a dead agent
   * is accepted. (API Reference, SendCommand, InvalidInstanceId.)
   */
  requireValid(instanceIds: readonly string[]): void {
    const bad = instanceIds.filter((id) => !this.#valid(id));
    if (bad.length > 0) throw invalidInstances(bad, this.#aws.accountId);
  }

  #valid(id: string): boolean {
    const state = this.instance(id)?.state;
    return this.#nodes.has(id) && state !== 'shutting-down' && state !== 'terminated';
  }

  /** Registered nodes that carry all the tags that the targets name. */
  matching(targets: readonly { readonly Key?: string; readonly Values?: readonly string[] }[]): readonly string[] {
    return this.all()
      .map(({ instanceId }) => instanceId)
      .filter((id) => this.#valid(id) && targets.every((target) => this.#meets(id, target)));
  }

  #meets(id: string, { Key = '', Values = [] }: { readonly Key?: string; readonly Values?: readonly string[] }) {
    const key = Key.toLowerCase();
    if (key === 'instanceids') return Values.includes(id);
    const tags = this.instance(id)?.tags ?? {};
    if (key === 'tag-key') return Values.some((name) => name in tags);
    const value = tags[Key.slice('tag:'.length)];
    return value !== undefined && Values.includes(value);
  }

  /** Whether the agent responds now; remembers when it last did. */
  ping(node: ManagedNode): 'Online' | 'ConnectionLost' {
    const now = this.#aws.engine.clock.now();
    if (node.agent.alive()) node.lastSeenAt = now;
    return now - node.lastSeenAt <= pingPeriodMs ? 'Online' : 'ConnectionLost';
  }
}

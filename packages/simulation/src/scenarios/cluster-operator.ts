import type { GroupView, MemberView } from '@drover/cloud-world';
import { groupNames } from '@drover/core/names/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { launchTemplateName } from '@drover/stage/cluster';

const minute = 60_000;

/** Makes the next version of the launch templates: the n-th, from 2. */
export type NewVersion = (version: number) => Promise<unknown>;

/** The operator of a cluster: rolls out new versions, starts a refresh again that was cancelled, releases retained instances. */
export class ClusterOperator {
  /** How many versions were rolled out. */
  versions = 1;
  refreshesStarted = 0;
  readonly #deployed: DeployedCluster;
  readonly #newVersion: NewVersion;
  readonly #draining = new Set<string>();
  #stopped = false;

  constructor(deployed: DeployedCluster, newVersion: NewVersion) {
    this.#deployed = deployed;
    this.#newVersion = newVersion;
  }

  /** Looks after the cluster every few minutes until `stop`. */
  start(): void {
    const tick = () => {
      if (this.#stopped) return;
      void this.#pass();
      this.#deployed.clock.after(10 * minute, tick);
    };
    tick();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Both groups are to run a new version of their template. */
  async rollOut(): Promise<void> {
    this.versions += 1;
    await this.#newVersion(this.versions);
  }

  /** Every instance is in service and of the newest version. */
  get converged(): boolean {
    return this.#groups().every(
      (group) =>
        group.members.size === group.desiredCapacity &&
        [...group.members.values()].every((member) => member.state === 'InService' && this.#isNew(group, member)),
    );
  }

  report(): string {
    return this.#groups()
      .flatMap(({ name, members }) =>
        [...members.values()].map((m) => `${name} ${m.instanceId} ${m.state} v${m.template.version}`),
      )
      .join(', ');
  }

  /** A group that launches from `$Latest` does not say which version that is. */
  #isNew({ source }: GroupView, { template }: MemberView): boolean {
    const { version } = source.template;
    return template.version === (version === '$Latest' ? String(this.versions) : version);
  }

  #groups() {
    const { clusterName, world } = this.#deployed;
    return [groupNames.master(clusterName), groupNames.data(clusterName)].map((name) => world.observe.group(name)!);
  }

  async #pass(): Promise<void> {
    for (const group of this.#groups()) {
      const members = [...group.members.values()];
      if (members.some((member) => member.state === 'InService' && !this.#isNew(group, member)))
        await this.#refresh(group.name);
      for (const { instanceId, state } of members) if (state === 'Terminating:Retained') void this.#release(instanceId);
    }
  }

  /** One that is active already refuses the second. */
  async #refresh(AutoScalingGroupName: string): Promise<void> {
    const Preferences = { MinHealthyPercentage: 100, MaxHealthyPercentage: 120, SkipMatching: true };
    try {
      await this.#deployed.aws('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName, Preferences });
      this.refreshesStarted += 1;
    } catch {
      // In progress.
    }
  }

  /** The documented way out: drain by hand, then release. */
  async #release(instanceId: string): Promise<void> {
    const machine = this.#deployed.world.machines.get(instanceId);
    if (this.#draining.has(instanceId) || machine?.state !== 'up') return;
    this.#draining.add(instanceId);
    try {
      const ended = await this.#deployed.begin(instanceId, 'cluster-cli cluster decommission-node --reason retained');
      if (ended.exitCode !== 0) return;
      const input = { InstanceId: instanceId, ShouldDecrementDesiredCapacity: false };
      await this.#deployed.aws('autoscaling', 'TerminateInstanceInAutoScalingGroup', input);
    } finally {
      this.#draining.delete(instanceId);
    }
  }
}

/** For groups that were made by API calls: another instance type in the launch template that both have. */
export const otherTypeByCall =
  (deployed: DeployedCluster): NewVersion =>
  (version) =>
    deployed.aws('ec2', 'CreateLaunchTemplateVersion', {
      LaunchTemplateName: launchTemplateName,
      SourceVersion: '$Latest',
      LaunchTemplateData: { InstanceType: version % 2 === 0 ? 't3a.large' : 't3a.medium' },
    });

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartInstanceRefreshCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { basicAuth } from '@drover/adapters/elasticsearch/client';
import { preload as preloadWire } from '@drover/cloud-aws';
import { asFetch, type FaultRule } from '@drover/cloud-engine';
import { type Clients, clients, deployCloudAssembly } from '@drover/cloud-world';
import { groupNames } from '@drover/core/names/search-cluster';
import { installCronTable } from '../cron-table.ts';
import { type ClusterInputs, synthesiseCluster, zoneName } from './cluster-app.ts';
import { DeployedCluster, type DeployedClusterOptions } from './deployed-cluster.ts';
import { DocumentWriter } from './document-writer.ts';
import { kibanaStandIn } from './kibana-stand-in.ts';
import { cronTable } from './machine/units.ts';
import { type OtherSoftware, otherSoftware } from './other-software.ts';

const minute = 60_000;
const hour = 60 * minute;
const assemblies = new Map<string, string>();

/** A search cluster deployed from its synthesised template, IAM enforced, with the operator's tools beside it. */
export class ClusterStage {
  readonly deployed: DeployedCluster;
  readonly aws: Clients;

  private constructor(deployed: DeployedCluster) {
    this.deployed = deployed;
    this.aws = clients(deployed.world);
  }

  /** Synthesises (once for equal inputs), deploys, and waits until every node is in service. */
  static async open(
    inputs: ClusterInputs = {},
    seed = 1,
    options: Pick<DeployedClusterOptions, 'elsewhere' | 'filesOf' | 'node' | 'unpublished' | 'world' | 'wrap'> = {},
  ): Promise<ClusterStage> {
    // The template is validated by tests of its own; here it would cost seconds.
    process.env.CDK_VALIDATION = 'false';
    await Promise.all([DeployedCluster.preload(), preloadWire()]);
    const { clusterName = 'logs' } = inputs;
    const stage = new ClusterStage(new DeployedCluster({ clusterName, machines: 'configured', seed, ...options }));
    stage.world.operate.registerImage(/kibana/, kibanaStandIn);
    await stage.deploy(inputs);
    await stage.until('every node is in service', () => stage.isWhole());
    return stage;
  }

  /** Deploys the stack, or updates it with other inputs. */
  async deploy(inputs: ClusterInputs): Promise<void> {
    await this.drive(this.beginDeployment(inputs), 12 * hour);
  }

  /** Deploys the same stack with other software, as another release of ours would. */
  async deploySoftware(inputs: ClusterInputs, software: OtherSoftware): Promise<void> {
    await this.drive(this.beginDeployment(inputs, software), 12 * hour);
  }

  /** The same for callers that do not move time. */
  async beginDeployment(inputs: ClusterInputs, software?: OtherSoftware): Promise<void> {
    const assembly = assemblyOf(inputs);
    await deployCloudAssembly(this.world, software === undefined ? assembly : otherSoftware(assembly, software));
  }

  get world() {
    return this.deployed.world;
  }

  get clock() {
    return this.deployed.clock;
  }

  get groups() {
    const { clusterName } = this.deployed;
    return { master: groupNames.master(clusterName), data: groupNames.data(clusterName) };
  }

  /** As many nodes are in service as each group should have. */
  isWhole(): boolean {
    const { deployed, world } = this;
    return deployed.groupNames().every((name) => {
      return deployed.inService(name).length === world.observe.group(name)!.desiredCapacity;
    });
  }

  /** Moves time until the work is done. */
  async drive<T>(work: Promise<T>, limitMs = hour): Promise<T> {
    return await this.deployed.until(work, limitMs);
  }

  async pass(minutes: number): Promise<void> {
    await this.clock.advance(minutes * minute);
  }

  async until(what: string, holds: () => boolean, limitMs = 6 * hour): Promise<void> {
    if (!(await this.clock.runUntil(holds, limitMs)))
      throw new Error(`not within ${limitMs / hour} h: ${what}. ${this.deployed.report()}`);
  }

  /**
   * Has cron on the present nodes run its commands every `everyMinutes` and stops their timers; or both as their files
   * say. For waits of days: hundreds of repeated runs an hour change nothing and cost nearly all of the processor time.
   */
  async setSchedule(everyMinutes: number | 'as configured'): Promise<void> {
    for (const id of this.deployed.nodes.keys()) {
      const machine = this.world.machines.get(id)!;
      const timers = ['drover-configure.timer', 'drover-settle.timer'].filter((name) =>
        machine.files.has(`/etc/systemd/system/${name}`),
      );
      const table = machine.files.get(cronTable)!;
      if (everyMinutes === 'as configured') {
        installCronTable(machine, cronTable, table);
        for (const name of timers) machine.startService(name);
      } else {
        installCronTable(machine, cronTable, table.replaceAll(/^\*\/\d+/gm, `*/${everyMinutes}`));
        for (const name of timers) await this.drive(machine.stopService(name));
      }
    }
  }

  fault(rule: FaultRule): () => void {
    return this.world.engine.faults.add(rule);
  }

  /** A request from outside of all networks to a name of the zone; as `elastic` unless `login` says otherwise. */
  async get(host: string, path: string, login: 'elastic' | 'nobody' = 'elastic'): Promise<Response> {
    const { world } = this;
    const fetch = asFetch(world.network.from({ kind: 'operator', name: 'operator' }));
    const authorization = basicAuth('elastic', this.deployed.elasticPassword());
    const headers: Record<string, string> = login === 'nobody' ? {} : { authorization };
    return await this.drive(fetch(`https://${host}.${zoneName}${path}`, { headers }), hour);
  }

  async startRefresh(AutoScalingGroupName: string): Promise<void> {
    await this.drive(
      this.aws.autoscaling.send(
        new StartInstanceRefreshCommand({
          AutoScalingGroupName,
          Preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 120, SkipMatching: false },
        }),
      ),
    );
  }

  /** The newest refresh of a group. */
  refreshOf(groupName: string) {
    return this.world.observe.newestRefresh(groupName);
  }

  async alarmState(name: string): Promise<string | undefined> {
    const answer = this.aws.cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
    return (await this.drive(answer)).MetricAlarms?.[0]?.StateValue;
  }

  /** Creates indices and writes to them until stopped. */
  async startWriting(indices: Readonly<Record<string, object>>, everyMs = 10_000): Promise<DocumentWriter> {
    for (const [index, settings] of Object.entries(indices))
      await this.deployed.search('PUT', `/${index}`, { settings });
    const random = this.world.engine.random.fork('documents');
    const writer = new DocumentWriter(this.deployed, random, Object.keys(indices), everyMs);
    writer.start();
    return writer;
  }
}

function assemblyOf(inputs: ClusterInputs): string {
  const key = JSON.stringify(inputs);
  const assembly = assemblies.get(key) ?? synthesiseCluster(mkdtempSync(join(tmpdir(), 'drover-stage-')), inputs);
  assemblies.set(key, assembly);
  return assembly;
}

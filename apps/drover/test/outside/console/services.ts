import { join } from 'node:path';
import { DescribeAutoScalingGroupsCommand, DescribeInstanceRefreshesCommand } from '@aws-sdk/client-auto-scaling';
import { root } from '../local-process.ts';
import type { ConsoleDriver } from './driver.ts';

interface Runner {
  readonly status: string;
  readonly busy: boolean;
}

interface Group {
  readonly DesiredCapacity: number;
  readonly MaxSize: number;
  readonly Instances: readonly {
    readonly InstanceId: string;
    readonly AvailabilityZone: string;
    readonly LifecycleState: string;
    readonly HealthStatus: string;
  }[];
}

/** The state of AWS, GitHub and Elasticsearch, to be compared with the page. */
export class Services {
  readonly #console: ConsoleDriver;

  constructor(console_: ConsoleDriver) {
    this.#console = console_;
  }

  /** Looked at several times a second, which would cost a minute of CPU time with the AWS command line. */
  async group(name: string): Promise<Group> {
    const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] });
    const { AutoScalingGroups } = await this.#console.autoscaling.send(command);
    return AutoScalingGroups![0] as unknown as Group;
  }

  async inService(name: string): Promise<string[]> {
    const { Instances } = await this.group(name);
    return Instances.filter(({ LifecycleState }) => LifecycleState === 'InService').map(({ InstanceId }) => InstanceId);
  }

  /** As Auto Scaling sees it. */
  async serves(name: string, id: string): Promise<boolean> {
    return (await this.group(name)).Instances.some(
      ({ InstanceId, LifecycleState, HealthStatus }) =>
        InstanceId === id && LifecycleState === 'InService' && HealthStatus === 'Healthy',
    );
  }

  async refreshStatus(name: string): Promise<string> {
    const command = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name });
    const { InstanceRefreshes } = await this.#console.autoscaling.send(command);
    return InstanceRefreshes?.[0]?.Status ?? 'none';
  }

  /** Asked as often as Auto Scaling is; anonymous callers may read health. */
  // biome-ignore lint/suspicious/noExplicitAny: what the cluster returns is asserted where it is used
  async #search(path: string): Promise<any> {
    const response = await fetch(`${this.#console.local.searchUrl}${path}`);
    // While a master is elected no node responds.
    return response.ok ? await response.json() : {};
  }

  async health(): Promise<string> {
    return (await this.#search('/_cluster/health')).status;
  }

  async nodeCount(): Promise<number> {
    return (await this.#search('/_cluster/health')).number_of_nodes;
  }

  /** Simulated seconds since the epoch, as the cluster reports them. */
  async clusterTime(): Promise<number> {
    const args = ['--format', 'json', 'cat', 'health'];
    const { code, stdout, stderr } = await this.#console.local.run(join(root, 'node_modules/.bin/cluster-cli'), args);
    if (code !== 0) throw new Error(`cluster-cli ${args.join(' ')}: ${stderr}`);
    return Number((JSON.parse(stdout) as { epoch: string }[])[0]!.epoch);
  }

  /** Status and body of a request to the platform. */
  async platform(path: string): Promise<{ status: number; body: string }> {
    const { local } = this.#console;
    const { stdout } = await local.run('curl', [
      '--silent',
      '--header',
      `authorization: Bearer ${local.platformToken}`,
      '--write-out',
      '\n%{http_code}',
      `${local.platformApi}${path}`,
    ]);
    const at = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, at) };
  }

  async runners(): Promise<readonly Runner[]> {
    const { body } = await this.platform('/orgs/example-org/actions/runners?per_page=100');
    return (JSON.parse(body) as { runners: Runner[] }).runners;
  }

  /** A green cluster of six nodes, and nothing that comes or goes. */
  async atPeace(): Promise<void> {
    const { until, speed } = bound(this.#console);
    await speed(300);
    await until(
      'a green cluster of six',
      async () => (await this.health()) === 'green' && (await this.nodeCount()) === 6,
    );
    await until('both groups at rest, with a master in each zone', async () => {
      const [masters, data] = await Promise.all(['search', 'search-data'].map((name) => this.group(name)));
      const members = [...masters!.Instances, ...data!.Instances];
      const rest = members.length === 6 && members.every(({ LifecycleState }) => LifecycleState === 'InService');
      // Before the masters are spread again the next zone could take their majority with it.
      return rest && new Set(masters!.Instances.map(({ AvailabilityZone }) => AvailabilityZone)).size === 3;
    });
    await speed(60);
  }
}

const bound = (driver: ConsoleDriver) => ({
  until: (what: string, check: () => Promise<boolean>) => driver.until(what, check),
  speed: (factor: number) => driver.speed(factor),
});

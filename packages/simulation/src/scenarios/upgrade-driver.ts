import {
  type AwsCalls,
  dataVolumes,
  groupInstances,
  growthNotes,
  nodeAuthorities,
  nodeGrowth,
  nodeRolls,
  nodeUpgrades,
  type OperatorSsm,
  softwarePointer,
  upgradeIntents,
} from '@drover/adapters/aws';
import { searchRoles, snapshotStore } from '@drover/adapters/elasticsearch';
import { basicAuth, type HttpExchange, loginWith, SearchClient } from '@drover/adapters/elasticsearch/client';
import type { WaitEnd } from '@drover/core';
import { authorityFunction, groupNames, snapshotRepository, softwareFunction } from '@drover/core/names/search-cluster';
import {
  type AuthorityState,
  type GrowOutcome,
  growVolumes,
  type RollOutcome,
  type RollRun,
  type RotationOutcome,
  rollSoftware,
  rotateAuthority,
  type UpgradeOutcome,
  type UpgradeRun,
  upgradeCluster,
} from '@drover/search-cluster';
import { type DeployedCluster, mastersHost } from '@drover/stage/cluster';
import { directCalls } from '@drover/stage/fleet';

const hour = 3_600_000;
const never = new Promise<never>(() => {});

/** Where a driver dies: just before or just after its n-th external call, from 0. */
export interface DriverDeath {
  readonly call: number;
  /** Only calls of this name count. @default all */
  readonly of?: string;
  readonly phase: 'before' | 'after';
}

/** How a run of the driver ended. */
export type DriverEnd =
  | { readonly kind: 'died' }
  | { readonly kind: 'timed-out'; readonly because: string }
  | UpgradeOutcome;

export type RollEnd =
  | { readonly kind: 'died' }
  | { readonly kind: 'timed-out'; readonly because: string }
  | RollOutcome;

export type GrowEnd =
  | { readonly kind: 'died' }
  | { readonly kind: 'timed-out'; readonly because: string }
  | GrowOutcome;

export type RotateEnd =
  | { readonly kind: 'died' }
  | { readonly kind: 'timed-out'; readonly because: string }
  | RotationOutcome;

/** `drover cluster upgrade`, `roll`, `grow` and `rotate-authority` without their options: the same runs, ports and adapters, on the operator's machine. */
export class UpgradeDriver {
  /** Every external call that was begun, in order. */
  readonly calls: string[] = [];
  readonly #deployed: DeployedCluster;
  readonly #death: DriverDeath | undefined;
  #die: () => void = () => {};

  /** A driver that dies does so once. */
  constructor(deployed: DeployedCluster, death?: DriverDeath) {
    this.#deployed = deployed;
    this.#death = death;
  }

  get struck(): boolean {
    return this.#death !== undefined && this.calls.length > this.#death.call;
  }

  /** One run, to its end or its death. Nothing of a run that died goes on but what it has started elsewhere. */
  async run(to: string, waitMs = 24 * hour): Promise<DriverEnd> {
    return await this.#play((run) => upgradeCluster(run, { to, skip: [], waitMs }));
  }

  /** The same for the software of the nodes. */
  async roll(waitMs = 24 * hour): Promise<RollEnd> {
    const { clusterName, facts } = this.#deployed;
    const pointer = async () => (await softwarePointer(this.#aws(), facts.state_bucket).read())!;
    return await this.#play((run) =>
      rollSoftware(
        {
          ...run,
          masterGroup: groupNames.master(clusterName),
          commands: nodeRolls(this.#aws().ssm as OperatorSsm),
          pointer,
          prove: async ({ digest }) => void (await this.#invoke(softwareFunction(clusterName), { proven: digest })),
        },
        waitMs,
      ),
    );
  }

  /** The same for the volumes of the data nodes. */
  async grow(sizeGiB: number, waitMs = 6 * hour): Promise<GrowEnd> {
    const { clusterName, facts } = this.#deployed;
    const aws = this.#aws();
    return await this.#play(({ search, ...run }) =>
      growVolumes(
        {
          ...run,
          records: search.records,
          dataGroup: groupNames.data(clusterName),
          volumes: dataVolumes(aws),
          commands: nodeGrowth(aws.ssm as OperatorSsm),
          growth: growthNotes(aws, facts.state_bucket),
        },
        sizeGiB,
        waitMs,
      ),
    );
  }

  /** The same for the authority of the nodes' certificates; `again` also replaces one that is younger than a day. */
  async rotate(waitMs = 6 * hour, again = false): Promise<RotateEnd> {
    const name = authorityFunction(this.#deployed.clusterName);
    const ask = async (request: object) => (await this.#invoke(name, request)) as AuthorityState;
    return await this.#play(({ search, ...run }) =>
      rotateAuthority(
        {
          ...run,
          nodes: search.upgrade,
          commands: nodeAuthorities(this.#aws().ssm as OperatorSsm),
          authority: { look: () => ask({ rotate: 'look' }), act: (rotate, digest) => ask({ rotate, digest }) },
          again,
        },
        waitMs,
      ),
    );
  }

  async #play<T>(
    act: (run: UpgradeRun & Pick<RollRun, 'search'>) => Promise<WaitEnd<T>>,
  ): Promise<T | { readonly kind: 'died' } | { readonly kind: 'timed-out'; readonly because: string }> {
    const abort = new AbortController();
    const died = new Promise<{ readonly kind: 'died' }>((resolve) => {
      this.#die = () => {
        abort.abort();
        resolve({ kind: 'died' });
      };
    });
    const end = act(this.#run(abort.signal)).then((ended) => (ended.kind === 'timed-out' ? ended : ended.outcome));
    return await Promise.race([end, died]);
  }

  #run(signal: AbortSignal): UpgradeRun & Pick<RollRun, 'search'> {
    const { clock, world, clusterName, facts } = this.#deployed;
    const aws = this.#aws();
    const client = new SearchClient({
      exchange: this.#exchange(),
      clock,
      address: { protocol: 'http', host: mastersHost(clusterName), port: 80 },
      login: loginWith([async () => basicAuth('elastic', this.#deployed.elasticPassword())], { anonymousFirst: false }),
      timeoutMs: 10_000,
      asksAnotherNode: true,
      securityStartsWithinMs: 24 * hour,
    });
    return {
      clock,
      random: world.engine.random.fork(`upgrade/${this.calls.length}`),
      signal,
      search: { ...searchRoles(client), snapshots: snapshotStore(client) },
      instances: groupInstances(aws),
      groups: [groupNames.master(clusterName), groupNames.data(clusterName)],
      intents: upgradeIntents(aws, facts.state_bucket),
      commands: nodeUpgrades(aws.ssm as OperatorSsm),
      repository: snapshotRepository,
      onWait: () => {},
      onAction: () => {},
    };
  }

  /** Only functions of the stack may write the pointer and the authority. */
  async #invoke(FunctionName: string, request: object): Promise<unknown> {
    const { world, root } = this.#deployed;
    const input = { FunctionName, Payload: Buffer.from(JSON.stringify(request)) };
    const call = () => world.aws.call('lambda', 'Invoke', input, root) as Promise<{ Payload?: Uint8Array }>;
    const { Payload } = await this.#call('Invoke', call);
    return JSON.parse(Buffer.from(Payload ?? []).toString() || 'null');
  }

  #exchange(): HttpExchange {
    const network = this.#deployed.world.network.from({ kind: 'operator', name: 'operator' });
    return (request) => this.#call(`${request.method} ${request.path}`, async () => await network(request));
  }

  #aws(): AwsCalls {
    const { world, root } = this.#deployed;
    const calls = directCalls(world, () => root) as unknown as Record<
      string,
      (...input: unknown[]) => Promise<unknown>
    >;
    const watched = Object.entries(calls).map(([service, call]) => [
      service,
      (operation: string, input: unknown) => this.#call(operation, () => call(operation, input)),
    ]);
    return Object.fromEntries(watched) as AwsCalls;
  }

  async #call<T>(name: string, act: () => Promise<T>): Promise<T> {
    const { of = name } = this.#death ?? {};
    const earlier = this.calls.filter((each) => this.#death?.of === undefined || each === of).length;
    const here = of === name && this.#death?.call === earlier ? this.#death : undefined;
    this.calls.push(name);
    if (here?.phase === 'before') this.#die();
    else if (here === undefined) return await act();
    else await act().finally(() => this.#die());
    return await never;
  }
}

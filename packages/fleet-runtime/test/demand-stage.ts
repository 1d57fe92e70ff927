import {
  ActionsService,
  actionsConnection,
  demandService,
  PlatformClient,
  scaleSetRunners,
  tokenCredentials,
} from '@drover/adapters/github';

import { HostStage, org } from '@drover/cloud-github/testing';
import { jsonLogger, Secret, SeededRandom } from '@drover/core';
import {
  closeLeftScaleSet,
  type DemandPorts,
  emptyMemory,
  type FleetInstance,
  type FleetMemory,
  type HostReport,
  type Memory,
  type RunnerType,
  restingMemory,
  sharedMemory,
  watchDemand,
} from '@drover/runner-fleet';

const minute = 60_000;
const large: RunnerType = {
  name: 'large',
  groupName: 'runners-large',
  labels: ['runners-large'],
  idleTarget: 0,
  otherArchitecture: false,
};

/** Windows of the demand against the code host, with a group that launches only in place of what is terminated without decrement. */
export class DemandStage extends HostStage {
  memory: Memory = emptyMemory;
  desired = 0;
  readonly limits = { minSize: 0, maxSize: 100 };
  idleTarget = 0;
  readonly instances = new Map<string, FleetInstance>();
  readonly reports = new Map<string, HostReport>();
  readonly terminated: string[] = [];
  readonly capacities: number[] = [];
  readonly lines: string[] = [];
  labels: readonly string[] = ['linux-large'];
  launchFailedAt: number | undefined;
  /** Instances of the last day. */
  readonly past: string[] = [];
  /** Every request: method, path and query as they were sent. */
  readonly asked: string[] = [];
  windowMs = 50_000;
  adaptiveWindows = false;
  /** How long each window took. */
  readonly durations: number[] = [];
  /** How often the memory was written. */
  writes = 0;
  /** The fleet has a further type, of which no instance comes. */
  hasLarge = false;
  readonly large = { memory: emptyMemory, reads: 0, writes: 0, capacities: [] as number[] };
  /** How many calls to any memory a window makes before it dies. */
  callsToLive = Number.POSITIVE_INFINITY;

  constructor(options: ConstructorParameters<typeof HostStage>[0] = {}) {
    super(options);
  }

  get set() {
    return this.host.scaleSets.named('runners')!;
  }

  enqueue(count = 1, minutes = 10, label = 'runners') {
    const job = () => this.host.registry.queue.enqueue({ durationMs: minutes * minute, runsOn: [label] });
    return Array.from({ length: count }, job);
  }

  /** An instance whose listener is connected, by a just-in-time configuration. */
  async addHost(id: string, report: Partial<HostReport> = {}): Promise<void> {
    this.addInstance(id);
    this.host.scaleSets.addRunner(this.set, id);
    this.report(id, report);
  }

  addInstance(id: string, lifecycleState = 'InService'): void {
    this.instances.set(id, { id, lifecycleState, healthy: true, protectedFromScaleIn: true, inWarmPool: false });
  }

  report(id: string, report: Partial<HostReport> = {}): void {
    this.reports.set(id, { at: this.clock.now(), workers: 0, phase: 'serving', listening: true, ...report });
  }

  /** One window in a process of its own; what it threw. */
  async window(): Promise<unknown> {
    let ended = false;
    let thrown: unknown;
    const { of, shared } = this.#process();
    watchDemand(of('runners', shared), this.hasLarge ? this.#types(of, shared) : undefined).then(
      () => {
        ended = true;
      },
      (error: unknown) => {
        ended = true;
        thrown = error;
      },
    );
    const beganAt = this.clock.now();
    if (!(await this.clock.runUntil(() => ended, 5 * minute))) throw new Error('the window does not end');
    this.durations.push(this.clock.now() - beganAt);
    await this.clock.advance(Math.max(0, beganAt + minute - this.clock.now()));
    return thrown;
  }

  async windows(count: number): Promise<unknown[]> {
    const thrown: unknown[] = [];
    for (let each = 0; each < count; each++) thrown.push(await this.window());
    return thrown.filter((error) => error !== undefined);
  }

  /** One pass of the function that closes what jobs mode has left, after a change to idle mode. */
  async closeLeft(): Promise<void> {
    const { of, shared } = this.#process();
    const { clock, log, group, memory, runners, service } = of('runners', shared);
    let ended = false;
    const pass = closeLeftScaleSet({ clock, log, group, memory, service: () => ({ service, runners }) }).finally(() => {
      ended = true;
    });
    await this.clock.runUntil(() => ended, minute);
    await pass;
  }

  /** The fakes of one process of the function, and its ports for a group. */
  #process() {
    const { clock } = this;
    const random = new SeededRandom(this.asked.length + 1);
    const credentials = tokenCredentials(async () => new Secret(this.token));
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (this.callsToLive < 0) throw new Error('dead');
      this.asked.push(`${init?.method ?? 'GET'} ${String(input)}`);
      return await this.fetch(input, init);
    };
    const level = { kind: 'org', name: org } as const;
    const { apiUrl } = this.host;
    const client = new PlatformClient({ apiUrl, level, clock, fetch, credentials });
    const shared = sharedMemory(this.#fleetMemory());
    const connection = actionsConnection({ client, credentials, apiUrl, clock, random, memory: shared, renews: true });
    const of = (groupName: string, memory: FleetMemory) =>
      this.#ports(groupName, memory, new ActionsService({ connection, clock, fetch, subsystem: 'demand' }));
    return { of, shared };
  }

  #types(of: (groupName: string, memory: FleetMemory) => DemandPorts, shared: ReturnType<typeof sharedMemory>) {
    return {
      expected: true,
      find: async () => [large],
      demand: () => {
        const ports = of(large.groupName, restingMemory(large.name, this.#memoryOfLarge(), shared));
        const setDesired = async (capacity: number) => void this.large.capacities.push(capacity);
        const group = { ...this.#group(), name: large.groupName, desiredCapacity: 0, instances: [] };
        return { ...ports, group: { read: async () => group }, size: { ...ports.size, setDesired } };
      },
      left: of('runners', shared).service,
      forget: async () => {},
      quietly: (run: () => Promise<void>) => run(),
    };
  }

  #ports(groupName: string, memory: FleetMemory, service: ActionsService): DemandPorts {
    const { clock } = this;
    return {
      clock,
      log: jsonLogger({ clock, write: (line) => void this.lines.push(line) }),
      groupName,
      group: { read: async () => this.#group() },
      size: {
        setFallbackDesired: async () => {},
        setDesired: async (capacity: number) => {
          this.desired = capacity;
          this.capacities.push(capacity);
        },
        terminate: async (id: string, decrement: boolean) => {
          this.instances.delete(id);
          this.terminated.push(id);
          if (decrement) this.desired -= 1;
          else if (this.instances.size < this.desired) this.addInstance(`i-for-${id}`, 'Pending:Wait');
          return 'accepted' as const;
        },
      },
      history: {
        launchFailedAt: async () => this.launchFailedAt,
        fallbackFailedAt: async () => undefined,
        instances: async () => this.past,
      },
      reports: {
        read: async (ids: readonly string[]) => new Map([...this.reports].filter(([id]) => ids.includes(id))),
      },
      service: demandService(service, {
        name: groupName,
        owner: 'runners_demand',
        labels: groupName === 'runners' ? ['runners', ...this.labels] : large.labels,
        runnerGroup: undefined,
      }),
      runners: scaleSetRunners(service),
      memory,
      idleTarget: () => this.idleTarget,
      windowMs: this.windowMs,
      adaptiveWindows: this.adaptiveWindows,
    };
  }

  #group() {
    const instances = [...this.instances.values()];
    return { name: 'runners', ...this.limits, desiredCapacity: this.desired, instances, hasWarmPool: false };
  }

  #fleetMemory(): FleetMemory {
    return {
      read: async () => {
        this.#call();
        return this.memory;
      },
      update: async (change) => {
        this.#call();
        this.memory = change(this.memory);
        this.writes += 1;
      },
    };
  }

  #memoryOfLarge(): FleetMemory {
    return {
      read: async () => {
        this.#call();
        this.large.reads += 1;
        return this.large.memory;
      },
      update: async (change) => {
        this.#call();
        this.large.memory = change(this.large.memory);
        this.large.writes += 1;
      },
    };
  }

  #call(): void {
    this.callsToLive -= 1;
    if (this.callsToLive < 0) throw new Error('dead');
  }
}

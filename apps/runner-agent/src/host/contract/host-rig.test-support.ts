import { ok } from 'node:assert/strict';
import type { Clock } from '@drover/core';
import type { AgentConfig } from '../../config.ts';
import type { Kernel } from '../kernel.ts';
import { runnerHost } from '../runner-host.ts';

/** The behaviour of the unit `actions-runner` in a case. */
export type UnitBehaviour =
  | { readonly kind: 'exits'; readonly status: number; readonly says?: string }
  /**
   * A listener that ends with 0 on SIGINT and counts how often it got it. With `worker` it has a Worker; with `stray` its job has
   * left a process behind that calls itself a Worker. It says a word, and a process of its job another one, under a name that it chose.
   */
  | { readonly kind: 'listens'; readonly worker?: boolean; readonly stray?: boolean; readonly words?: Words };

interface Words {
  readonly listener: string;
  readonly job: string;
  readonly jobTag: string;
}

/** A kernel on which the contract runs, and the means to bring about what it is asked about. */
export interface HostRig {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** A folder and a user of its own. */
  readonly config: AgentConfig;
  /** Abilities that this system lacks, and why: such cases are skipped. */
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
  defineRunnerUnit(behaviour: UnitBehaviour): Promise<void>;
  /** Unit files by their names. What their commands do is up to `probe`. */
  installUnits(files: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Path of a program for units: `probe NAME [sleep=SECONDS] [exit=CODE] [term=SECONDS] [ready=SECONDS] [env=yes]` notes when it begins
   * and ends under that name, and its environment; says that it is ready; takes a while to end when it gets SIGTERM.
   */
  readonly probe: string;
  /** The notes of the probes of a name: `begin`, `end`, `term`. */
  probed(name: string): readonly { readonly what: string; readonly at: number }[];
  /** The environment that the last probe of a name had noted. */
  environmentOf(name: string): Readonly<Record<string, string | undefined>>;
  /** Mounts a file system on a folder, which it makes. */
  mount(folder: string): void;
  /** Need `minutes`. A table of cron, and a shell for it at a path. */
  installCron(name: string, table: string, shell: string): Promise<void>;
  killListener(): void;
  /** How many SIGINT the listeners of this rig have got. */
  interrupts(): number;
  /** `config.sh` that refuses a configured runner and prints whether it has its token; and a Worker that can start. */
  installConfigScript(): void;
  /** Defined where files have owners. */
  ownerOf?(path: string): string;
  plantLink?(path: string, to: string): void;
  /** A FIFO, whose reader waits for a writer: for ever, if there is none. */
  plantFifo(path: string): void;
  /** Need `disk`. */
  setFreeBytes(bytes: number): void;
  /** Ends everything that a case has started, and removes what it wrote. */
  reset(): Promise<void>;
}

/**
 * systemd; nftables; the right to become another user; free space that can be set; a system whose own folders may be written;
 * minutes to wait.
 */
export type Need = 'units' | 'firewall' | 'users' | 'disk' | 'system' | 'minutes';

export interface ContractCase {
  readonly title: string;
  readonly needs: readonly Need[];
  /** It touches nothing that another case does: where time is real, these run at the same time. */
  readonly together?: true;
  run(rig: HostRig): Promise<void>;
}

/** The agent's configuration on a rig: nothing in it but where the runner is and whose it is matters to the contract. */
export const contractConfig = (place: Pick<AgentConfig, 'runnerDirectory' | 'runnerUser'>): AgentConfig => ({
  groupName: 'contract',
  ownGroup: 'contract',
  region: 'eu-west-1',
  platformUrl: 'https://github.com/example-org',
  extraLabels: [],
  ephemeral: false,
  cleanBetweenJobs: true,
  runnerGroup: undefined,
  runnerVersion: undefined,
  logGroup: undefined,
  metricNamespace: 'Drover/ActionsRunner',
  reports: undefined,
  ...place,
});

export const hostOf = ({ kernel, config }: HostRig) => runnerHost(kernel, config);

/** Looks until it is so, for at most ten seconds. */
export async function until({ clock }: HostRig, what: string, reached: () => boolean): Promise<void> {
  for (let looks = 0; !reached(); looks++) {
    ok(looks < 100, `not within ten seconds: ${what}`);
    await clock.sleep(100);
  }
}

export async function listen(rig: HostRig, behaviour: Omit<UnitBehaviour & { kind: 'listens' }, 'kind'> = {}) {
  await rig.defineRunnerUnit({ kind: 'listens', ...behaviour });
  await hostOf(rig).startService();
  await until(rig, 'the listener runs', () => rig.kernel.processesOf('Runner.Listener').length > 0);
  if (behaviour.worker || behaviour.stray)
    await until(rig, 'its processes run', () => rig.kernel.processesOf('Runner.Worker').length > 0);
}

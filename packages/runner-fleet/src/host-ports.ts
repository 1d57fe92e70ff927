import type { Secret } from '@drover/core';
import type { RunnerLife } from './decide/decide-finished.ts';
import type { DrainOrder, Silence } from './decide/decide-host.ts';
import type { ListenerEnd } from './decide/decide-restart.ts';
import type { BootProgress } from './decide/decide-start.ts';
import type { HostFlaw, HostReport } from './model/fleet.ts';

/** The instance's own metadata. */
export interface OwnMetadata {
  instanceId(): Promise<string>;
  /** The instance's target state; undefined while it cannot be read. */
  targetLifecycleState(): Promise<string | undefined>;
  /** When spot capacity will be taken away. */
  spotNoticeAt(): Promise<number | undefined>;
  /** Whether EC2 recommends to replace this spot instance: it may be taken away soon. */
  isAtRisk(): Promise<boolean>;
  launchedAt(): Promise<number | undefined>;
}

/** The instance's place in its group. */
export interface OwnPlace {
  lifecycleState(): Promise<string | undefined>;
  /** `refused`: the instance is not in service (any more). */
  protect(on: boolean): Promise<'done' | 'refused'>;
  /** `not-waiting`: the instance is not in the hook's wait state yet, or no longer. */
  completeHook(hook: string, result: 'CONTINUE' | 'ABANDON'): Promise<'accepted' | 'not-waiting'>;
  heartbeat(hook: string): Promise<void>;
  report(report: HostReport): Promise<void>;
}

/** The instance's own registration token, in jobs mode its just-in-time configuration: it can read no other. */
export interface OwnToken {
  exists(): Promise<boolean>;
  /** Launches are braked: if this boot fails the instance stays for inspection. */
  keepFailed(): Promise<boolean>;
  read(): Promise<Secret | undefined>;
  delete(): Promise<void>;
}

/** Why the platform did not take a registration. */
export type PlatformRefusal =
  /** The token has expired or is not the platform's. */
  | 'token-refused'
  /** The platform takes no runner of this version any more. */
  | 'version-too-old'
  | 'runner-group-unknown'
  /** No response, an error of the server, or words that are not known. */
  | 'unavailable';

/** Why this host cannot have a runner. */
export type HostFault =
  | 'software-missing'
  | 'libraries-missing'
  | 'disk-full'
  /** A configuration is there although it was removed before. */
  | 'already-configured';

export type ConfigureOutcome =
  | { readonly kind: 'configured' }
  /** The token is for a host of the other scaling mode: no registration will ever fit this one. */
  | { readonly kind: 'other-mode' }
  /** Worth another try, some of them with another token or after a change of the configuration. */
  | { readonly kind: 'platform-failed'; readonly reason: PlatformRefusal; readonly message: string }
  /** The host itself is unfit: another instance may be better. */
  | { readonly kind: 'host-failed'; readonly reason: HostFault; readonly message: string };

/** The runner service as `systemctl show` reports it. */
export interface ServiceStatus {
  /** A listener runs, or is on its way up or down. */
  readonly active: boolean;
  /** How the last listener ended; undefined while one runs, before the first, and perhaps after an end with code 0. */
  readonly lastEnd: ListenerEnd | undefined;
}

/** The operating system of a runner instance. */
export interface RunnerHost {
  /** `Runner.Worker` processes that live now. */
  workers(): number;
  isConfigured(): boolean;
  /** Configures the runner, replacing any earlier configuration. Only called while no listener runs. */
  configureRunner(registration: {
    readonly token: Secret;
    readonly name: string;
    readonly labels: readonly string[];
  }): Promise<ConfigureOutcome>;
  /** How far the one runner of this instance has come: kept over the agent's end and a reboot, not in an image of the instance. */
  life(): RunnerLife | undefined;
  noteLife(life: RunnerLife): void;
  /** Whether the last listener said that its registration is deleted at the platform. */
  registrationDeleted(): Promise<boolean>;
  /** When the listener that runs said that it has begun a job, unless it has said how that job ended. */
  jobBegunAt(): Promise<number | undefined>;
  /** Whether the newest job since this was last asked failed before its started hook ran; undefined: there was none. */
  jobFailedEarly(): Promise<boolean | undefined>;
  /** Why no job can begin here, if that is so. */
  findFlaw(): Promise<HostFlaw | undefined>;
  /** Ends processes that jobs have left, while no Worker lives; returns how many. */
  cleanBetweenJobs(): number;
  service(): ServiceStatus;
  startService(): Promise<void>;
  /** Stops the service: one interrupt for the listener, which takes no new job then. Only called while no Worker lives. */
  stopService(): Promise<void>;
  /** Keeps the listener from the platform, or lets it back. */
  silence(stage: Silence): Promise<void>;
  silenced(): Silence;
  /** The drain order of a remote command. */
  drainOrder(): DrainOrder | undefined;
  boot(): BootProgress;
  /** The last lines of what the boot wrote. */
  bootLog(): string;
  /** Free bytes where jobs work. */
  freeBytes(): number;
  /** Resolves when something worth a look happened, or after `mostMs`. */
  waitForChange(mostMs: number): Promise<void>;
}

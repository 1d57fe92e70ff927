import type { Secret } from '@drover/core';
import type { DrainOrder } from './decide/decide-host.ts';
import type { HostReport } from './model/fleet.ts';

/** The instance's own metadata. */
export interface OwnMetadata {
  instanceId(): Promise<string>;
  /** Where the instance is going; undefined while it cannot be read. */
  targetLifecycleState(): Promise<string | undefined>;
  /** When spot capacity will be taken away. */
  spotNoticeAt(): Promise<number | undefined>;
}

/** The instance's place in its group. */
export interface OwnPlace {
  lifecycleState(): Promise<string | undefined>;
  /** `refused`: the instance is not in service (any more). */
  protect(on: boolean): Promise<'done' | 'refused'>;
  completeHook(hook: string, result: 'CONTINUE' | 'ABANDON'): Promise<void>;
  heartbeat(hook: string): Promise<void>;
  report(report: HostReport): Promise<void>;
}

/** The instance's own registration token: it can read no other. */
export interface OwnToken {
  exists(): Promise<boolean>;
  read(): Promise<Secret | undefined>;
  delete(): Promise<void>;
}

export type ConfigureOutcome =
  | { readonly kind: 'configured' }
  /** The platform could not be reached or refused the token: worth another try. */
  | { readonly kind: 'platform-failed'; readonly message: string }
  /** The host itself is unfit: disk, image, missing files. */
  | { readonly kind: 'host-failed'; readonly message: string };

/** The operating system of a runner instance. */
export interface RunnerHost {
  /** `Runner.Worker` processes that live now. */
  workers(): number;
  isConfigured(): boolean;
  configureRunner(registration: {
    readonly token: Secret;
    readonly name: string;
    readonly labels: readonly string[];
  }): Promise<ConfigureOutcome>;
  serviceActive(): boolean;
  startService(): Promise<void>;
  /** Interrupts the listener, which takes no new job then, and stops the service. Only called while no Worker lives. */
  stopService(): Promise<void>;
  /**
   * Keeps the listener from the platform, or lets it back. A job that is given to it meanwhile is not picked up, and
   * after a minute the platform gives it to another.
   */
  silence(on: boolean): Promise<void>;
  silenced(): boolean;
  /** What a remote command asked for. */
  drainOrder(): DrainOrder | undefined;
  /** Resolves when something worth a look happened, or after `mostMs`. */
  waitForChange(mostMs: number): Promise<void>;
}

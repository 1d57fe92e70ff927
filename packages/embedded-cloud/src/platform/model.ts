/** A runner as the code host keeps it. */
export interface PlatformRunner {
  readonly id: number;
  readonly name: string;
  readonly org: string;
  readonly os: string;
  readonly labels: readonly string[];
  readonly groupId: number;
  readonly createdAt: number;
  /** A live connection of the runner's listener. */
  session: RunnerSession | undefined;
  /** When the connection was lost, or the runner was registered. */
  offlineSince: number;
  job: Job | undefined;
  /** Moments at which what the API reports of `busy` changes. */
  busyReports: BusyReport[];
}

/** From `at` on the API reports `busy` as this, whatever the truth is. */
export interface BusyReport {
  readonly at: number;
  readonly busy: boolean;
}

/** The side of a listener that the code host can reach. */
export interface RunnerSession {
  /** A job arrives. The listener starts a Worker and says `accept`. */
  deliver(job: Job): void;
  /** The runner was removed: its credentials are void. */
  revoked(): void;
}

export type JobState = 'queued' | 'dispatched' | 'running' | 'completed' | 'lost';

/** One job of the queue. */
export interface Job {
  readonly id: number;
  readonly labels: readonly string[];
  readonly durationMs: number;
  readonly queuedAt: number;
  state: JobState;
  runnerId?: number;
  runnerName?: string;
  dispatchedAt?: number;
  startedAt?: number;
  endedAt?: number;
  /** Why it was lost. */
  lostBecause?: LossCause;
}

export type LossCause = 'worker-killed' | 'runner-removed' | 'runner-vanished' | 'listener-stopped' | 'cancelled';

/** A personal token or an installed app: what it may do and how much it may ask. */
export interface Credential {
  /** What limits are counted by: the user, or the installation. */
  readonly account: string;
  readonly kind: 'token' | 'installation';
  readonly org: string;
  /** Scope `admin:org`, or the permission for self-hosted runners. */
  readonly mayManageRunners: boolean;
}

export interface AppInstallation {
  readonly id: number;
  readonly appId: number;
  readonly appSlug: string;
  readonly org: string;
  /** PEM of the app's public key, against which its JWTs are checked. */
  readonly publicKey: string;
  readonly mayManageRunners: boolean;
}

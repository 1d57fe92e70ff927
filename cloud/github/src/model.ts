import type { Origin } from '@drover/cloud-engine';
import type { PublicKey } from './actions-service/runner-keys.ts';

/** A runner as the code host keeps it. */
export interface RunnerRecord {
  readonly id: number;
  readonly name: string;
  /** Where it belongs: an organisation, `owner/repository`, or `enterprises/name`. It takes jobs of any repository all the same. */
  readonly level: string;
  readonly os: string;
  /** Names in the order in which the API shows them. */
  labels: readonly string[];
  /** How many of them, the first ones, cannot be removed. */
  readOnlyLabels: number;
  groupId: number;
  /** The scale set that it was made for: it gets jobs of that set and no others. */
  readonly scaleSetId?: number;
  readonly createdAt: number;
  /** Identity of the runner's software at the service; a registration that replaces this one makes another. */
  clientId: string;
  /** Of the key that its software made; undefined: that of just-in-time configurations. */
  publicKey: PublicKey | undefined;
  /** Takes one job; then GitHub forgets it. */
  ephemeral: boolean;
  /** Of the software that connected last; the API shows it from then on. */
  version: string | undefined;
  /** A connection of the runner's listener, alive as far as GitHub knows. */
  session: RunnerSession | undefined;
  /** When GitHub noticed that the connection was lost, or when the runner was registered. */
  offlineSince: number;
  /** When the listener really stopped, and whether it said so; GitHub learns it later. */
  listenerStop: ListenerStop | undefined;
  /** Set when the runner is gone from the registry. */
  removal: RunnerRemoval | undefined;
  job: Job | undefined;
  /** Moments at which what the API reports of `busy` changes. */
  busyReports: readonly BusyReport[];
  /** Grows with each change of what the API shows. */
  revision: number;
}

/** From `at` on the API reports `busy` as this, whatever the truth is. */
export interface BusyReport {
  readonly at: number;
  readonly busy: boolean;
}

/** The side of a listener that the code host can reach. */
export interface RunnerSession {
  /** Of the runner software. */
  readonly version?: string;
  /** Whether the listener can respond; undefined: it can. */
  reachable?(): boolean;
  /** The message of a job arrives. Until the listener acquires it through `Connection.run`, another may get it. */
  deliver(job: Job): void;
  /** The runner was removed: its credentials are void. */
  revoked(): void;
  /** GitHub serves this version of the runner software no more. */
  deprecated?(): void;
  /**
   * GitHub is down, or this listener cannot reach it: the poll that is open breaks. Called again and again while it
   * lasts.
   */
  broken?(): void;
}

export interface ListenerStop {
  readonly at: number;
  /** `goodbye`: it closed its session. `silent`: it was gone without a word. */
  readonly how: 'goodbye' | 'silent';
}

/** How a runner left the registry. */
export interface RunnerRemoval {
  readonly at: number;
  /**
   * `api`: a DELETE. `unregistered`: `config.sh remove` on its machine. `forgotten`: offline for too long. `consumed`: it
   * was ephemeral and had its job.
   */
  readonly why: 'api' | 'unregistered' | 'forgotten' | 'consumed';
  /** The requester, if it was a request. */
  readonly by?: Requester;
}

/** The sender of a request: the credential's account, and where the connection came from. */
export interface Requester {
  readonly account: string;
  readonly origin: Pick<Origin, 'kind' | 'name'>;
}

export type JobState = 'queued' | 'dispatched' | 'running' | 'completed' | 'lost';

/** One job of the queue. */
export interface Job {
  readonly id: number;
  readonly labels: readonly string[];
  readonly durationMs: number;
  /**
   * Script that its step executes with bash, besides the time that it takes; the step fails when it exits with another
   * code than 0.
   */
  readonly script?: string;
  /** An action, `owner/name@ref`, instead of a script. There are none: its job fails before its started hook. */
  readonly uses?: string;
  /** `owner/name` of the repository whose workflow it belongs to. @default one repository of the organisation */
  readonly repository?: string;
  /** The run of a workflow that it is part of, and its name there. @default a run of its own */
  readonly run?: { readonly id: number; readonly name: string };
  readonly queuedAt: number;
  state: JobState;
  /** The scale set that it is assigned to: only runners of that set can get it. */
  scaleSetId?: number;
  runnerId?: number;
  runnerName?: string;
  /** When it was given to a runner; the message is on its way from then on. */
  dispatchedAt?: number;
  /** When its runner took it: from then on no other can get it. */
  acquiredAt?: number;
  /** When its Worker existed. */
  startedAt?: number;
  endedAt?: number;
  /** Of a completed job: its own steps may have failed, or a user has cancelled it. */
  result?: 'succeeded' | 'failed' | 'canceled';
  /** The end of its steps' output. */
  output?: string;
  /** Requests in a row with which its runner found GitHub down. */
  unanswered?: number;
  /** Why it was lost. */
  lostBecause?: LossCause;
}

export type LossCause =
  /** The Worker's process died and its listener said so. */
  | 'worker-killed'
  /** The runner was removed from GitHub while it had the job. */
  | 'runner-removed'
  /** Another machine registered under the runner's name. */
  | 'runner-replaced'
  /** Its lease was not renewed until it ended: listener, machine or network were gone. GitHub calls it lost communication. */
  | 'runner-vanished'
  /** The lease could not be renewed, so that the runner itself gave the job up. */
  | 'abandoned'
  /** The listener was stopped, or a signal reached the Worker: GitHub shows the job as failed. */
  | 'cancelled'
  /** A hook script of the runner ended with another code than 0. */
  | 'hook-failed'
  /** No runner took it for a day. */
  | 'queued-too-long';

/** The known facts about a lost job, for those who judge whose fault it was. No judgement. */
export interface JobLoss {
  readonly job: Readonly<Job>;
  readonly cause: LossCause;
  readonly lostAt: number;
  readonly workerExisted: boolean;
  /** Requests in a row, up to the loss, with which the runner found GitHub down. */
  readonly unanswered: number;
  /** Undefined when no runner ever had it. */
  readonly runner:
    | {
        readonly id: number;
        readonly name: string;
        readonly listenerStop: ListenerStop | undefined;
        readonly removal: RunnerRemoval | undefined;
      }
    | undefined;
}

/** A credential's right to self-hosted runners. */
export type RunnerRight = boolean | 'read';

/** A personal token or an installed app: what it may do and how much it may ask. */
export interface Credential {
  /** The account that limits are counted by, as GitHub's messages name it: `user ID 1`, `installation ID 2`. */
  readonly account: string;
  readonly kind: 'token' | 'installation';
  readonly org: string;
  /** Scope `admin:org`, or the permission for self-hosted runners. */
  readonly mayManageRunners: RunnerRight;
  readonly expiresAt?: number;
}

export interface AppInstallation {
  readonly id: number;
  readonly appId: number;
  readonly appSlug: string;
  readonly org: string;
  /** PEM of the app's public key, against which its JWTs are checked. */
  readonly publicKey: string;
  readonly mayManageRunners: RunnerRight;
  /** The permission to read the organisation's administration, e.g. its list of installed apps. @default false */
  readonly mayReadAdministration?: boolean;
  /** The permission to administer its repositories, which runners of a repository need. @default false */
  readonly mayAdministerRepositories?: boolean;
  /** The permissions to write contents and workflows of its repositories, and to act on runs. @default false */
  readonly mayRunWorkflows?: boolean;
}

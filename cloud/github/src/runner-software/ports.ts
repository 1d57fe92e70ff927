import type { Clock, Random } from '@drover/core';
import type { PublicKey, RsaParameters } from '../actions-service/runner-keys.ts';
import type { Away } from '../outage.ts';

/** A request to the service failed: no connection, no response in time, or an error of the service itself (5xx). */
export class Unreachable extends Error {
  readonly how: Away;

  constructor(message: string, how: Away) {
    super(message);
    this.how = how;
  }
}

/** The service refused a registration. */
export class Refused extends Error {
  readonly status: number;
  /** The request, method and address; undefined when the client itself found the reason. */
  readonly request: string | undefined;

  constructor(status: number, message: string, request?: string) {
    super(message);
    this.status = status;
    this.request = request;
  }
}

/** The request of `config.sh`. */
export interface RegistrationRequest {
  readonly apiUrl: string;
  /** The page of the organisation, repository or enterprise. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly noDefaultLabels: boolean;
  readonly replace: boolean;
  readonly ephemeral: boolean;
  readonly group: string | undefined;
  readonly version: string;
  readonly publicKey: PublicKey;
}

export interface RegisteredRunner {
  readonly id: number;
  readonly name: string;
  readonly clientId: string;
  readonly authorizationUrl: string;
  /** Of the broker. */
  readonly serverUrl: string;
  /** A runner of this name stood before. */
  readonly replaced: boolean;
}

/** Which runner this is: `.runner` and `.credentials`. */
export interface RunnerIdentity {
  readonly agentId: number;
  readonly clientId: string;
  /** Of the broker; ends in `/`. */
  readonly serviceUrl: string;
  readonly authorizationUrl: string;
  /** The content of `.credentials_rsaparams`. */
  readonly key: string;
  /** Assertions are signed with PS256, not RS256. */
  readonly fips: boolean;
  readonly version: string;
  readonly ephemeral: boolean;
}

/** The result of a poll. */
export type Message =
  /** `runServiceUrl`: on the wire. */
  | { readonly kind: 'job'; readonly jobId: number; readonly runServiceUrl?: string }
  | { readonly kind: 'registration-deleted' }
  | { readonly kind: 'deprecated'; readonly text: string }
  | { readonly kind: 'session-expired' };

export interface AcquiredJob {
  readonly id: number;
  readonly name: string;
  readonly durationMs: number;
  readonly script?: string;
  /** An action, which cannot be had. */
  readonly uses?: string;
  readonly repository?: string;
  /** On the wire: the run service, and the token for requests about this job. */
  readonly endpoint?: { readonly url: string; readonly accessToken: string };
}

/** A job's result as the Worker reports it; `because` says why it was not the job's own. */
export interface JobResult {
  readonly result: 'succeeded' | 'failed';
  readonly because?: 'cancelled' | 'abandoned' | 'hook-failed' | 'worker-killed';
  /** The step that failed. @default the job's own */
  readonly step?: string;
  /** Its conclusion is cancelled, not failed. */
  readonly canceled?: boolean;
  readonly output?: string;
}

/** The run service, for one job. Every request may be `Unreachable`; `gone`: the job is not this runner's any more. */
export interface JobService {
  started(): Promise<void>;
  renew(): Promise<'ok' | 'gone'>;
  complete(result: JobResult): Promise<'ok' | 'gone'>;
}

/** A listener's session. */
export interface Session {
  /** The next message, whenever it comes; rejects with the signal's reason when that is aborted. */
  nextMessage(status: 'Online' | 'Busy', signal: AbortSignal): Promise<Message>;
  acknowledge(jobId: number): Promise<'ok' | 'gone'>;
  /** Once the signal is aborted it is not asked any more. */
  acquire(jobId: number, signal: AbortSignal): Promise<AcquiredJob | 'gone'>;
  job(jobId: number): JobService;
  /** After polls that failed: the next one has another connection and another token. */
  refresh(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A message of a listener to its Worker. After a cancel the job-completed hook runs, at a shutdown it does not. */
export type WorkerMessage = 'shutdown' | 'cancel' | 'abandon';

/** GitHub's side of the runner software. */
export interface Pipelines {
  /** `keyIsMade` is called once the token was found good: the key stays whatever follows. */
  register(request: RegistrationRequest, keyIsMade: () => void): Promise<RegisteredRunner>;
  unregister(request: {
    readonly apiUrl: string;
    readonly url: string;
    readonly token: string;
    readonly id: number;
  }): Promise<void>;
  /** `refused`: 401 or 403, whatever the reason. */
  openSession(identity: RunnerIdentity): Promise<Session | 'conflict' | 'registration-deleted' | 'refused'>;
}

/** Files below the runner's root. */
export interface RunnerFiles {
  read(name: string): string | undefined;
  write(name: string, text: string, mode?: number): void;
  delete(name: string): void;
}

/** The system that every program of the runner software runs on. */
export interface RunnerSystem {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: string;
  readonly hostName: string;
  readonly files: RunnerFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly pipelines: Pipelines;
  readonly version: string;
  /** A new RSA key of 2048 bits. */
  makeKey(): RsaParameters;
  say(line: string): void;
  complain(line: string): void;
}

/** A line with its time, as the original prints some of them. */
export const timed = ({ clock }: RunnerSystem, line: string): string =>
  `${new Date(clock.now()).toISOString().replace('T', ' ').slice(0, 19)}Z: ${line}`;

/** A Worker as its listener sees it. */
export interface WorkerProcess {
  /** 100 + result; anything else: it crashed. */
  readonly ended: Promise<number>;
  /** The message over its pipe. */
  tell(message: WorkerMessage): void;
}

export interface ListenerSystem extends RunnerSystem {
  onSignal(signal: 'SIGINT' | 'SIGTERM', act: () => void): void;
  /** Throws when the disk is full. */
  trace(line: string): void;
  startWorker(job: AcquiredJob, service: JobService): WorkerProcess;
}

/** The system that a Worker runs on. */
export interface WorkerSystem {
  readonly clock: Clock;
  readonly random: Random;
  readonly job: AcquiredJob;
  readonly service: JobService;
  onSignal(signal: 'SIGINT' | 'SIGTERM', act: () => void): void;
  /** A message of the listener over the pipe. The end of the pipe has no meaning. */
  onMessage(act: (message: WorkerMessage) => void): void;
  /** Throws when the disk is full. */
  trace(line: string): void;
  /** Whether it can read its configuration and make its work folder. */
  isUsable(): boolean;
  /** Runs a hook script to its end, however long that takes; 0 when there is none. */
  hook(name: 'job-started' | 'job-completed', signal: AbortSignal): Promise<number>;
  /** Runs the job's own steps. */
  steps(signal: AbortSignal): Promise<{ readonly exitCode: number; readonly output?: string }>;
}

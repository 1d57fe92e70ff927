import type { Clock, Logger, Secret } from '@drover/core';
import type { DemandMessage, DemandStatistics } from './model/jobs.ts';
import type { RunnerType } from './model/types.ts';
import type { FleetMemory, GroupReader, HostReports } from './ports.ts';

export interface ScaleSet {
  readonly id: number;
  readonly name: string;
}

/** A session with the message queue of a scale set. One at a time can exist. */
export interface MessageSession {
  readonly id: string;
  /** Empty when the service is in trouble: then the session is of no use. */
  readonly queueUrl: string;
  readonly queueToken: Secret;
  readonly statistics?: DemandStatistics | undefined;
}

/** Another session holds the scale set. */
export interface SessionConflict {
  /** The owner of that session; undefined where the service does not name it. */
  readonly heldBy: string | undefined;
}

/** Which scale set and which of its sessions a call is about. */
export interface HeldSession {
  readonly scaleSetId: number;
  readonly session: MessageSession;
}

export interface PollOptions {
  readonly lastMessageId: number | undefined;
  /** How many runners the fleet can have: the service assigns no more jobs. */
  readonly ceiling: number;
  /** The wait ends then, whatever the service does. */
  readonly withinMs: number;
}

/** The demand for runners, as the Actions service reports it. */
export interface DemandService {
  /** Renews the connection while it still lasts long enough for the other functions. */
  connect(): Promise<void>;
  findScaleSet(): Promise<ScaleSet | undefined>;
  createScaleSet(): Promise<ScaleSet>;
  /** Gives the scale set the labels and the group that it is to have now. */
  updateScaleSet(scaleSetId: number): Promise<void>;
  /**
   * Jobs that wait for it are free for other runners again. One that is gone is deleted, too; while jobs run the
   * service refuses.
   */
  deleteScaleSet(scaleSetId: number): Promise<void>;
  /** The labels and the group that the scale set is to have. */
  readonly asked: string;
  openSession(scaleSetId: number): Promise<MessageSession | SessionConflict | 'scale-set-unknown'>;
  /** The same session with a new token for its queue; `unknown`: it is over. */
  renewSession(scaleSetId: number, sessionId: string): Promise<MessageSession | 'unknown'>;
  /** A session that is over is closed, too. */
  closeSession(scaleSetId: number, sessionId: string): Promise<void>;
  poll(held: HeldSession, options: PollOptions): Promise<DemandMessage | 'nothing' | 'token-expired'>;
  acknowledge(held: HeldSession, messageId: number): Promise<'done' | 'token-expired'>;
  /** Takes available jobs, where the service does not assign them by itself (Enterprise Server). */
  acquire(held: HeldSession, requestIds: readonly number[]): Promise<'done' | 'token-expired'>;
}

/** The runners of a scale set. There is no list of them. */
export interface ScaleSetRunners {
  /** The runner's id; undefined when the service does not know it. */
  find(name: string): Promise<number | undefined>;
  /** Whether the service knows this runner, and as one of this scale set: of one that was deleted no runner gets a job. */
  serves(name: string, scaleSetId: number): Promise<boolean>;
  /** `removed` also when the service did not know it (any more); `busy`: it has a job. */
  remove(runnerId: number): Promise<'removed' | 'busy'>;
}

/** A run of a workflow. */
export interface RunId {
  readonly repository: string;
  readonly runId: number;
}

/** A run as the platform has it. */
export interface RunFacts {
  readonly completed: boolean;
  readonly attempt: number;
}

/** A job in the newest attempt of its run. */
export interface RunJobFacts {
  readonly id: number;
  /** Empty while it has none. */
  readonly runnerName: string;
  readonly failed: boolean;
  readonly completedAt: number | undefined;
}

/** Runs of workflows at the platform. */
export interface WorkflowRuns {
  find(run: RunId): Promise<RunFacts>;
  jobs(run: RunId): Promise<readonly RunJobFacts[]>;
  /** `running`: the run is not completed (any more). */
  rerunJob(repository: string, jobId: number): Promise<'asked' | 'running'>;
}

/** Changes to the group's size. */
export interface GroupSize {
  setDesired(capacity: number): Promise<void>;
  /** Of the on-demand fallback, where the group has one. */
  setFallbackDesired(capacity: number): Promise<void>;
  /** `gone`: it is no member (any more). */
  terminate(instanceId: string, decrement: boolean): Promise<'accepted' | 'gone'>;
}

/** The recent activities of the group. */
export interface GroupHistory {
  /** When the newest launch failed for want of capacity, if the newest one did. */
  launchFailedAt(): Promise<number | undefined>;
  /** The same of the on-demand fallback. */
  fallbackFailedAt(): Promise<number | undefined>;
  /** Every instance whose launch or termination has begun since then. */
  instances(since: number): Promise<readonly string[]>;
}

/** The ports of one window of the demand. */
export interface DemandPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly groupName: string;
  readonly group: GroupReader;
  readonly size: GroupSize;
  readonly history: GroupHistory;
  readonly reports: HostReports;
  readonly service: DemandService;
  readonly runners: ScaleSetRunners;
  /** Undefined: interrupted jobs are not run again. */
  readonly runs?: WorkflowRuns | undefined;
  readonly memory: FleetMemory;
  /** The idle target in force at a moment. */
  idleTarget(now: number): number;
  /** For how long a window polls. */
  readonly windowMs: number;
  /** Windows are short while there has been neither host nor job for long. */
  readonly adaptiveWindows: boolean;
}

/** The types of a fleet. */
export interface TypePorts {
  /** Whether the fleet has types. @default only those that were removed and have left something */
  readonly expected: boolean;
  /** Those whose groups exist. */
  find(): Promise<readonly RunnerType[]>;
  demand(type: RunnerType): DemandPorts;
  /** Closes what is left of types that were removed. */
  readonly left: Pick<DemandService, 'connect' | 'closeSession' | 'deleteScaleSet'>;
  /** Deletes the memory of a type that was removed, in a fleet that has others. */
  forget(type: string): Promise<void>;
  /** Runs the part of the default type, whose group may be missing. */
  quietly(run: () => Promise<void>): Promise<void>;
}

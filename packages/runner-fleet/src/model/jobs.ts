/** Jobs mode: facts that the Actions service reports about a scale set, and that windows remember. */

/** The numbers of a scale set, as the service counts them. */
export interface DemandStatistics {
  /** Jobs that wait and that the service has not assigned. */
  readonly available: number;
  /** Jobs that the scale set has to serve: those that wait for a runner and those that run. */
  readonly assigned: number;
  readonly running: number;
  readonly registered: number;
  readonly busy: number;
  readonly idle: number;
}

export type JobEventKind = 'available' | 'assigned' | 'started' | 'completed';

/** News of one job. They are for bookkeeping: only the statistics are counted. */
export interface JobEvent {
  readonly kind: JobEventKind;
  readonly jobId: string;
  /** By which an available job is acquired; 0 where that is not needed. */
  readonly requestId: number;
  readonly repository: string;
  readonly name: string;
  /** The run of its workflow; older servers do not say it. */
  readonly runId?: number | undefined;
  readonly queuedAt?: number;
  readonly runnerName?: string;
  readonly result?: string;
}

/** One message of the queue: a level, and what has happened. */
export interface DemandMessage {
  readonly id: number;
  readonly statistics: DemandStatistics;
  readonly events: readonly JobEvent[];
}

/** Facts about one job, from the messages. */
export interface JobNote {
  readonly repository: string;
  readonly name: string;
  readonly runId?: number;
  readonly queuedAt?: number;
  readonly assignedAt?: number;
  readonly startedAt?: number;
  readonly completedAt?: number;
  readonly runnerName?: string;
  readonly result?: string;
}

/**
 * The activity of a host of a jobs fleet, by the group and by its own report. `starting`: it is in service, and its
 * first listener does not run yet. `stopped`: it is in service and takes no job. `gone`: its runner may still be at the
 * service.
 */
export type HostState =
  | 'booting'
  | 'starting'
  | 'idle'
  | 'busy'
  | 'finished'
  | 'stopped'
  | 'silent'
  | 'leaving'
  | 'gone';

export interface HostNote {
  readonly is: HostState;
  readonly since: number;
  /** When the service was last asked for its runner. */
  readonly askedAt?: number;
  /** When the service last refused to remove its runner: it had a job. */
  readonly refusedAt?: number;
  /** Since when the service does not know its runner. */
  readonly unknownSince?: number;
}

/** A job that ran when EC2 gave notice that it takes its host back. */
export interface Interruption {
  /** When a window saw the notice. */
  readonly at: number;
  /** The job, once a message has said which one its host has. */
  readonly repository?: string | undefined;
  readonly name?: string | undefined;
  readonly runId?: number;
  /** When its run was last looked at. */
  readonly askedAt?: number;
  /** When the platform was last asked to run it again; written before it is asked. */
  readonly rerunAt?: number | undefined;
  /** The attempt of the run that came of it. */
  readonly attempt?: number;
  /** Why it was last refused. */
  readonly refused?: string | undefined;
  /** Nothing is left to do for it, and why. */
  readonly settled?: SettledReason;
}

/**
 * `ended`: it did not fail, or had failed before its host went. `run-by-others`: someone ran it again. `once-only`: it had
 * been run again before.
 */
export type SettledReason = 'run-again' | 'ended' | 'run-by-others' | 'once-only';

/** State that survives between two windows. */
export interface JobsMemory {
  /** `asked`: with which labels, and in which group. */
  readonly scaleSet?: { readonly id: number; readonly name: string; readonly asked?: string };
  readonly sessionId?: string;
  /** One window at a time: no other may hold the session until then. */
  readonly lease?: { readonly until: number };
  readonly statistics?: DemandStatistics;
  /** When the service last confirmed them. */
  readonly statisticsAt?: number;
  /** In how many windows in a row another session held the scale set. */
  readonly conflicts?: number;
  /** The owner of that session, where the service names it. */
  readonly heldBy?: string;
  /** In how many windows in a row the group was larger than wanted. */
  readonly surplusWindows?: number;
  /** Jobs that wait although as many runners are idle. */
  readonly notTaken?: number;
  /** The newest jobs by their ids, oldest first. */
  readonly jobs?: Readonly<Record<string, JobNote>>;
  readonly hosts?: Readonly<Record<string, HostNote>>;
  /** When each spot instance was lately seen to be taken back. */
  readonly reclaims?: Readonly<Record<string, number>>;
  /** With adaptive windows: since when there has been neither host nor job. */
  readonly quietSince?: number;
  /** Jobs that were interrupted, by the instances that they ran on. */
  readonly interrupted?: Readonly<Record<string, Interruption>>;
  /** When the hosts were last looked at: who came and went after that is in none of the notes. */
  readonly lookedAt?: number;
}

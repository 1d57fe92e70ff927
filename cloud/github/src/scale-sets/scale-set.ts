import type { Job } from '../model.ts';
import type { MessageQueue } from './message-queue.ts';

export interface ScaleSetLabel {
  readonly type: string;
  readonly name: string;
}

/** A client's settings for a scale set. */
export interface ScaleSetSettings {
  readonly name: string;
  readonly groupId: number;
  readonly labels: readonly ScaleSetLabel[];
  readonly disableUpdate: boolean;
}

/** A runner scale set as the Actions service keeps it. */
export interface ScaleSet {
  readonly id: number;
  /** Where it belongs: an organisation, `owner/repository`, or `enterprises/name`. */
  readonly level: string;
  settings: ScaleSetSettings;
  readonly createdAt: number;
  readonly messages: MessageQueue;
  session: Session | undefined;
  /** As its client said with its last poll: no more jobs than this are assigned. */
  maxCapacity: number | undefined;
  /** The last time that a client had a session. */
  connectedAt: number;
  /** Waiting and running jobs. */
  readonly assigned: Set<Job>;
  /** Jobs that began to wait while its client announced no capacity: it never gets them. */
  readonly excluded: WeakSet<Job>;
  /** If jobs must be acquired: those announced to the client, and when. */
  readonly announced: Map<Job, number>;
}

/** The one client that may poll. */
export interface Session {
  readonly id: string;
  readonly owner: string;
  /** With which messages are asked for. */
  token: string;
  tokenExpiresAt: number;
  /** Of the last request that knew of it. */
  seenAt: number;
  /** The poll that is open. */
  poll: OpenPoll | undefined;
}

export interface OpenPoll {
  readonly lastMessageId: number;
  end(answer: PollAnswer): void;
}

/** A message's number and its events; nothing new; or the end of the session. */
export type PollAnswer = { readonly id: number; readonly events: readonly object[] } | 'nothing' | 'session-gone';

/** In the words of the service. */
export interface Statistics {
  readonly totalAvailableJobs: number;
  readonly totalAcquiredJobs: number;
  /** Waiting and running: how many runners there should be. */
  readonly totalAssignedJobs: number;
  readonly totalRunningJobs: number;
  readonly totalRegisteredRunners: number;
  readonly totalBusyRunners: number;
  readonly totalIdleRunners: number;
}

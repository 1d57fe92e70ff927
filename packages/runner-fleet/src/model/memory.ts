import type { Runner } from './fleet.ts';
import type { JobsMemory } from './jobs.ts';

/** State that survives between two invocations. Losing it costs requests, never safety. */
export interface Memory {
  /** When the deregistration function last reconciled. */
  readonly sweptAt?: number;
  /** The runners as the metric last listed them. */
  readonly runners?: RunnerList;
  /** The platform access token, encrypted by the adapter that owns it. */
  readonly accessToken?: { readonly sealed: string; readonly expiresAt: number };
  /** Readings of `busy` of runners that are to be removed. */
  readonly busyReadings: Readonly<Record<string, readonly BusyReading[]>>;
  /** When each terminating instance was first seen: its scaling activity may be too far back in the list to be found. */
  readonly terminatingSince: Readonly<Record<string, number>>;
  /** In how many passes in a row the platform could not be read while an instance was terminating. */
  readonly unreachablePasses: number;
  /** Candidates for removal at reconcile's last reading. */
  readonly suspects: Readonly<Record<string, number>>;
  /** When a registration may be tried again, and how often it failed. */
  readonly registrationRetry?: { readonly notBefore: number; readonly failures: number };
  /** When registrations succeeded again after the last failure: boots that waited for that have their whole time from then on. */
  readonly registrableSince?: number;
  readonly lastAbandonAt?: number;
  /** The newest launches whose boot failed, oldest first. */
  readonly bootFailures?: readonly BootFailure[];
  /** Hosts that leave in a roll-out: since when their runner gets no further job. */
  readonly retiring?: Readonly<Record<string, number>>;
  /** Which number the platform gave to the fleet's runner group. */
  readonly runnerGroup?: { readonly name: string; readonly id: number };
  /** Until when the platform asked any of the functions for a pause. */
  readonly platformPauseUntil?: number;
  /** The platform's last statement about our budget. */
  readonly rateLimit?: { readonly limit: number; readonly remaining: number; readonly resetAt: number };
  /** The connection to the Actions service, in jobs mode; its token is encrypted by the adapter that owns it. */
  readonly actionsService?: { readonly url: string; readonly sealed: string; readonly expiresAt: number };
  /** Of a fleet in jobs mode; only the window that holds its lease writes it. */
  readonly jobs?: JobsMemory;
  /** In the memory of the default type: news of the others. One that was removed is here until nothing of it is left. */
  readonly types?: TypeSignals;
}

/** News of a type's last windows. The window that gives the lease back writes it for all types at once. */
export interface TypeSignal {
  /** When a window first saw its group. */
  readonly since: number;
  /** When the service last confirmed the numbers of its jobs. */
  readonly statisticsAt?: number;
  /** When its hosts were last looked at. */
  readonly lookedAt?: number;
  /** Its scale set and session, by which they are closed when the type was removed. */
  readonly scaleSetId?: number;
  readonly sessionId?: string;
  /** Since when its group is not found. */
  readonly missingSince?: number;
  /** Since when windows find it quiet. Each writer of its memory takes this and `resting` out first. */
  readonly restsSince?: number | undefined;
  /** A copy of its memory, without the notes of jobs, once it has been quiet for long: then its own object is not read. */
  readonly resting?: Memory | undefined;
}

export type TypeSignals = Readonly<Record<string, TypeSignal>>;

/** A launch that its own host gave up, or that was ended because its host fell silent; or a host that broke in service. */
export interface BootFailure {
  readonly instanceId: string;
  readonly at: number;
  /** Version of the launch template that it was launched from. */
  readonly template?: string;
  /** It had booted, and jobs could not begin on it any more. */
  readonly broken?: boolean;
  /** For how long its host was silent. */
  readonly silentMs?: number;
  /** With the last lines of the host's log. */
  readonly reason: string;
}

/** Every page of the platform's list, with the ETags that make an unchanged page free. */
export interface RunnerList {
  readonly at: number;
  readonly pages: readonly RunnerPage[];
}

export interface RunnerPage {
  /** Valid for one access token only. */
  readonly etag?: string;
  readonly total: number;
  readonly runners: readonly Runner[];
}

export const allRunners = (list: RunnerList): readonly Runner[] => list.pages.flatMap((page) => page.runners);

export interface BusyReading {
  readonly at: number;
  readonly busy: boolean;
}

export const emptyMemory: Memory = {
  busyReadings: {},
  terminatingSince: {},
  unreachablePasses: 0,
  suspects: {},
};

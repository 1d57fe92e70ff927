/** A type of a fleet's runners, as the tags of its group describe it. */
export interface RunnerType {
  readonly name: string;
  readonly groupName: string;
  /** By which jobs ask for its runners; the first is the name of its scale set. */
  readonly labels: readonly string[];
  readonly idleTarget: number;
  readonly runnerGroup?: string;
  /** Its architecture is not the fleet's. */
  readonly otherArchitecture: boolean;
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
}

export type TypeSignals = Readonly<Record<string, TypeSignal>>;

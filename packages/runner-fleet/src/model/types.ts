/** A type of a fleet's runners, as the tags of its group describe it. */
export interface RunnerType {
  readonly name: string;
  readonly groupName: string;
  /** By which jobs ask for its runners; the first is the name of its scale set. */
  readonly labels: readonly string[];
  readonly idleTarget: number;
  readonly runnerGroup?: string;
  /** Its jobs that EC2 interrupts are run again. @default false */
  readonly rerunsInterrupted?: boolean;
  /** Its architecture is not the fleet's. */
  readonly otherArchitecture: boolean;
}

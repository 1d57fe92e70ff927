/** Jobs at GitHub, as far as they matter for one group of a fleet. */
export interface JobsOfGroup {
  /** The scale set of the group, if it has one. */
  readonly scaleSetId: number | undefined;
  /** Jobs that are assigned to the scale set. */
  readonly assigned: number;
  /** Instances of the group that have a job. */
  readonly busy: number;
  /** The scale set of each job that waits; undefined: in idle mode there is none. */
  readonly waiting: readonly (number | undefined)[];
  /** The group is the only one that takes jobs. In idle mode it is, whatever types a fleet had, or is going to have. */
  readonly takesAll: boolean;
}

/** Jobs that wait for an instance of the group. Of several types each has its own jobs. Pure. */
export function waitingJobs({ scaleSetId, assigned, busy, waiting, takesAll }: JobsOfGroup): number {
  const isOurs = (id: number | undefined) => takesAll || (scaleSetId !== undefined && id === scaleSetId);
  return Math.max(assigned - busy, waiting.filter(isOurs).length);
}

/** A process of the runner's user. */
export interface UserProcess {
  readonly pid: number;
  readonly parentPid: number;
}

export interface Leftovers {
  /** A Worker lives: below the listener something runs. */
  readonly busy: boolean;
  /** Neither the listener nor below it: processes that an earlier job has left. */
  readonly pids: readonly number[];
}

/**
 * A process that outlives its job loses its parent when the Worker ends, so that it is not below the listener any more. Before the first step of a job
 * every such process is an earlier job's; from then on the job itself may leave some. Pure.
 */
export function decideLeftovers(processes: readonly UserProcess[], listenerPid: number | undefined): Leftovers {
  const own = new Set(listenerPid === undefined ? [] : [listenerPid]);
  for (let before = -1; before < own.size; ) {
    before = own.size;
    for (const { pid, parentPid } of processes) if (own.has(parentPid)) own.add(pid);
  }
  return { busy: own.size > 1, pids: processes.map(({ pid }) => pid).filter((pid) => !own.has(pid)) };
}

/** The listener of the job that a process belongs to: its topmost ancestor of the same user. */
export function listenerOf(processes: readonly UserProcess[], pid: number): number {
  const parent = processes.find((each) => each.pid === pid)?.parentPid;
  return parent !== undefined && processes.some((each) => each.pid === parent) ? listenerOf(processes, parent) : pid;
}

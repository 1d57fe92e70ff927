/** What the shell sees. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  timedOut: 4,
  stalled: 5,
  /** Ended by Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;

/** The exit codes of `drover`. */
export const exitCodes = {
  /** Also "nothing to do". */
  done: 0,
  /** Failed, or something is wrong. */
  failed: 1,
  usage: 2,
  /** Nothing wrong was found, but a part could not be read: that is not "well". */
  notAllRead: 3,
  /** A check blocks an upgrade. */
  blocked: 10,
  /** An upgrade has to go on. */
  waiting: 11,
  /** Ended by Ctrl-C before it was done, as shells count it. */
  interrupted: 130,
} as const;

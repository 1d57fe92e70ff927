/** Exit codes of the listener and of `config.sh` (actions/runner, Constants.cs). 3 and 4 are self-updates, which do not happen here. */
export const exitCodes = {
  success: 0,
  terminated: 1,
  retryable: 2,
  sessionConflict: 5,
  versionDeprecated: 7,
  /** Of a process that ends on SIGTERM, as .NET does it. */
  sigterm: 143,
} as const;

/** Exit code of a Worker: 100 and its result (actions/runner, TaskResultUtil.cs). */
export const workerExit = { succeeded: 100, failed: 102, canceled: 103, crashed: 1 } as const;

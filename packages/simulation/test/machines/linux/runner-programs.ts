/** The runner's programs, for pgrep and pkill: by the whole command line; the brackets keep the shell that looks for it from finding itself. */
export const listenerProgram = "--full '^/opt/actions-runner/bin/[R]unner.Listener'";
export const workerProgram = "--full '^/opt/actions-runner/bin/[R]unner.Worker'";
export const listenerRuns = `pgrep ${listenerProgram} > /dev/null`;
export const workerRuns = `pgrep ${workerProgram} > /dev/null`;
/** The step of a job that only takes time has begun: the runner's own processes do not sleep. */
export const stepRuns = 'pgrep --uid actions-runner --exact sleep > /dev/null';

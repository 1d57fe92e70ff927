import type { SignalName } from '../program.ts';

/** signal(7) */
const signalNumbers: Readonly<Record<SignalName, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Exit code of a process that a signal ended, as shells report it. */
export const killedExitCode = (signal: SignalName): number => 128 + signalNumbers[signal];

/**
 * The parts that most of Drover needs: time, chance, errors, refusals and logs. Small parts have entry points of their
 * own, for programs that start often.
 */
export { type Clock, dayMs, hourMs, RealClock, sleepOn, type Timer } from './clock.ts';
export { DroverError, describeError, remedyOf, TerminalError, TransientError } from './errors.ts';
export { jsonLogger, type Logger, silentLogger, terminalLogger } from './logger.ts';
export { type Random, SeededRandom, SystemRandom } from './random.ts';
export { type Refusal, refuse, renderRefusal } from './refusal.ts';
export { ScaledClock } from './scaled-clock.ts';
export { Secret } from './secret.ts';
export { VirtualClock } from './virtual-clock.ts';
export { type Wait, type WaitEnd, type WaitStep, waitFor } from './wait.ts';

import { expect, it } from 'vitest';
import { decideRestart, type ListenerEnd } from './decide-restart.ts';

const exit = (status: number): ListenerEnd => ({ by: 'exit', status });
const seconds = (count: number) => count * 1000;

const firstPauses: [string, ListenerEnd, number][] = [
  ['0, its registration was deleted', exit(0), 5],
  ['1, not configured or refused', exit(1), 30],
  ['2, an error that may pass', exit(2), 5],
  ['3, an update', exit(3), 35],
  ['5, a session conflict', exit(5), 60],
  ['7, a deprecated version', exit(7), 60],
  ['134, a crash', exit(134), 10],
  ['143, SIGTERM', exit(143), 5],
  ['SIGKILL', { by: 'signal', status: 9 }, 5],
];
it.each(firstPauses)('starts a listener again that ended with %s', (_, end, pause) => {
  expect(decideRestart(end, 1).pauseMs).toBe(seconds(pause));
});

it('pauses longer after each end in a row, at most ten minutes', () => {
  expect([1, 2, 3, 9, 1000].map((ends) => decideRestart(exit(1), ends).pauseMs)).toEqual(
    [30, 60, 120, 600, 600].map(seconds),
  );
});

import { describe, expect, it } from 'vitest';
import { decideLeftovers, listenerOf } from './decide-leftovers.ts';

const listener = { pid: 10, parentPid: 1 };
const worker = { pid: 20, parentPid: 10 };
const hook = { pid: 30, parentPid: 20 };
const left = { pid: 40, parentPid: 1 };
const childOfLeft = { pid: 41, parentPid: 40 };

describe('what a job leaves running', () => {
  it.each([
    ['nothing beside the listener', [listener], 10, false, []],
    ['nothing of the job that runs', [listener, worker, hook], 10, true, []],
    ['what an earlier job has left, with its children', [listener, left, childOfLeft], 10, false, [40, 41]],
    ['what an earlier job has left beside the next one', [left, hook, worker, listener], 10, true, [40]],
    ['everything where no listener runs', [left, childOfLeft], undefined, false, [40, 41]],
  ])('%s', (_, processes, listenerPid, busy, pids) => {
    expect(decideLeftovers(processes, listenerPid)).toEqual({ busy, pids });
  });

  it('a hook finds its listener above it', () => {
    expect(listenerOf([left, hook, worker, listener], 30)).toBe(10);
  });
});

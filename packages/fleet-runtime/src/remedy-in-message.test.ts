import { SeededRandom, silentLogger, TransientError, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { Surroundings } from './compose.ts';
import { failingInFull } from './failing-in-full.ts';
import { deregistrationFunction, recordMetricFunction, registrationFunction } from './index.ts';

const surroundings = (env: Surroundings['env']): Surroundings => ({
  env,
  clock: new VirtualClock(),
  random: new SeededRandom(1),
  log: silentLogger,
  fetch: () => Promise.reject(new Error('nobody may ask')),
  clients: () => {
    throw new Error('no client may be made');
  },
});

describe('a failure of a function', () => {
  it.each(Object.entries({ registrationFunction, deregistrationFunction, recordMetricFunction }))(
    'is one error with value and fix, before anything is done: %s',
    (_, make) => {
      const missing = {
        name: 'TerminalError',
        message: expect.stringMatching(/^environment variable ASG_NAME is missing/),
      };
      const malformed = expect.stringMatching(
        /^environment variable ASG_NAME is "a b", not .*What to do: deploy the stack/,
      );

      expect(() => make(surroundings({}))).toThrow(expect.objectContaining(missing));
      expect(() => make(surroundings({ ASG_NAME: 'a b' }))).toThrow(expect.objectContaining({ message: malformed }));
    },
  );

  it('keeps its cause, says whether trying again can help, and leaves foreign errors as they are', async () => {
    const failing = (error: unknown) => failingInFull(() => () => Promise.reject(error))(undefined)({});
    const passing = new TransientError('it is away', { remedy: 'wait' });
    const foreign = new RangeError('foreign');

    await expect(failing(passing)).rejects.toMatchObject({
      name: 'TransientError',
      message: 'it is away. What to do: wait',
      cause: passing,
    });
    await expect(failing(new TransientError('alone'))).rejects.toThrow(/^alone$/);
    await expect(failing(foreign)).rejects.toBe(foreign);
  });
});

import { SeededRandom, silentLogger, TransientError, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { FunctionRuntime } from './compose.ts';
import { deregistrationFunction } from './deregistration.ts';
import { recordMetricFunction } from './record-metric.ts';
import { registrationFunction } from './registration.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

const runtime = (env: FunctionRuntime['env']): FunctionRuntime => ({
  env,
  clock: new VirtualClock(),
  random: new SeededRandom(1),
  log: silentLogger,
  fetch: () => Promise.reject(new Error('no request may be sent')),
  aws: () => {
    throw new Error('AWS may not be called');
  },
});

describe('a failure of a function', () => {
  it.each(Object.entries({ registrationFunction, deregistrationFunction, recordMetricFunction }))(
    'a malformed environment is one error with value and remedy, before anything is done: %s',
    (_, make) => {
      const missing = {
        name: 'TerminalError',
        message: expect.stringMatching(/^environment variable ASG_NAME is missing/),
      };
      const malformed = expect.stringMatching(
        /^environment variable ASG_NAME is "a b", not .*What to do: deploy the stack/,
      );

      expect(() => make(runtime({}))).toThrow(expect.objectContaining(missing));
      expect(() => make(runtime({ ASG_NAME: 'a b' }))).toThrow(expect.objectContaining({ message: malformed }));
    },
  );

  it('withRemedyInMessage keeps the cause, says whether trying again can help, and leaves foreign errors as they are', async () => {
    const failing = (error: unknown) => withRemedyInMessage(() => () => Promise.reject(error))(undefined)({});
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

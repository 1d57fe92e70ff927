import { jsonLogger, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { abandonLaunch } from './abandon-launch.ts';

function launching(state: () => Promise<string | undefined>) {
  const completed: string[] = [];
  const lines: string[] = [];
  const log = jsonLogger({ clock: new VirtualClock(0), write: (line) => lines.push(line) });
  const place = {
    lifecycleState: state,
    completeHook: async (hook: string, result: string) => void completed.push(`${hook} ${result}`),
  };
  return { ports: { log, place }, completed, lines };
}

it('ends hook bootstrap with ABANDON and logs the reason', async () => {
  const { ports, completed, lines } = launching(async () => 'Pending:Wait');

  await abandonLaunch(ports, 'the disk is full');

  expect(completed).toEqual(['bootstrap ABANDON']);
  expect(lines.join()).toContain('the disk is full');
});

it('ends it even if the state cannot be read', async () => {
  const { ports, completed } = launching(() => Promise.reject(new Error('throttled')));

  await abandonLaunch(ports, 'puppet failed');

  expect(completed).toEqual(['bootstrap ABANDON']);
});

it('leaves an instance in service alone', async () => {
  const { ports, completed } = launching(async () => 'InService');

  expect(await abandonLaunch(ports, 'puppet failed')).toMatchObject({ name: 'not-launching' });
  expect(completed).toEqual([]);
});

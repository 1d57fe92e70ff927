import { jsonLogger, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import type { HostReport } from '../model/fleet.ts';
import { abandonLaunch } from './abandon-launch.ts';

function launching(state: () => Promise<string | undefined>, keepFailed: () => Promise<boolean> = async () => false) {
  const completed: string[] = [];
  const lines: string[] = [];
  const reports: (string | undefined)[] = [];
  const clock = new VirtualClock(0);
  const log = jsonLogger({ clock, write: (line) => lines.push(line) });
  const place = {
    lifecycleState: state,
    completeHook: async (hook: string, result: string) => {
      completed.push(`${hook} ${result}`);
      return 'accepted' as const;
    },
    report: async ({ failure }: HostReport) => void reports.push(failure),
  };
  return { ports: { clock, log, place, token: { keepFailed } }, completed, reports, lines };
}

it('ends hook bootstrap with ABANDON and logs the reason', async () => {
  const { ports, completed, reports, lines } = launching(async () => 'Pending:Wait');

  await abandonLaunch(ports, 'the disk is full');

  expect(completed).toEqual(['bootstrap ABANDON']);
  expect(reports).toEqual(['the disk is full']);
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

it('a launch that failed while launches are braked leaves hook bootstrap open and reports the reason', async () => {
  const { ports, completed, reports } = launching(
    async () => 'Pending:Wait',
    async () => true,
  );

  await abandonLaunch(ports, 'puppet failed');

  expect(completed).toEqual([]);
  expect(reports).toEqual(['puppet failed']);
});

it('a launch ends with ABANDON if neither the report can be written nor the brake be asked', async () => {
  const denied = () => Promise.reject(new Error('AccessDenied'));
  const { ports, completed } = launching(async () => 'Pending:Wait', denied);

  await abandonLaunch({ ...ports, place: { ...ports.place, report: denied } }, 'puppet failed');

  expect(completed).toEqual(['bootstrap ABANDON']);
});

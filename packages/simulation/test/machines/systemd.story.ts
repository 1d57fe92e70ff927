import { describe, expect, it } from 'vitest';
import { debian13Filesystem, runnerFilesystem } from './linux/image.ts';
import { UnconfiguredMachine } from './linux/unconfigured-machine.ts';

describe('systemd and cron as our units use them', () => {
  it.each([
    ['Debian 12', runnerFilesystem],
    ['Debian 13', debian13Filesystem],
  ])('the host contract holds on %s, with the cases that take minutes', async (_, filesystem) => {
    const machine = await UnconfiguredMachine.boot(undefined, filesystem);
    try {
      console.log(await machine.run('systemctl --version'));
      const outcomes = await machine.runHostContract('--minutes');
      expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(outcomes.some(({ title, outcome }) => title.startsWith('cron') && outcome === 'passed')).toBe(true);
    } finally {
      await machine.end();
    }
  });
});

import { afterEach, expect, it } from 'vitest';
import { outsideClient } from './outside-client.ts';

const before = process.env.CI;
afterEach(() => {
  if (before === undefined) delete process.env.CI;
  else process.env.CI = before;
});

it('finds a command that works', () => {
  expect(outsideClient('node', 'install node')).toMatchObject({ missing: false, reason: '' });
});

it('says on a laptop how to install what is missing', () => {
  delete process.env.CI;
  const client = outsideClient('no-such-command', 'apt-get install nothing');
  expect(client).toMatchObject({ missing: true, reason: expect.stringContaining('apt-get install nothing') });
});

it('an outside client whose probe fails does not count', () => {
  delete process.env.CI;
  expect(outsideClient('node', 'npm install x', { probe: ['-e', 'process.exit(1)'] }).missing).toBe(true);
});

it('fails in CI, where nothing may be skipped silently', () => {
  process.env.CI = 'true';
  expect(() => outsideClient('no-such-command', 'apt-get install nothing')).toThrow('apt-get install nothing');
});

import { expect, it } from 'vitest';
import { parseCommandLine, usage } from './command-line.ts';

it.each([
  [['run'], { kind: 'run' }],
  [['status'], { kind: 'status' }],
  [['check'], { kind: 'check' }],
  [['job-started'], { kind: 'job-started' }],
  [['drain', '--removed'], { kind: 'drain', removed: true, platformUnreachable: false }],
  [['abandon', '--reason', 'the disk is full'], { kind: 'abandon', reason: 'the disk is full' }],
  [[], { kind: 'help' }],
])('understands %j', (argv, command) => {
  expect(parseCommandLine(argv)).toEqual(command);
});

it.each([
  [['abandon']],
  [['abandon', '--reason']],
  [['abandon', '--reason', '']],
  [['abandon', '--reason', 'a', 'b']],
  [['run', 'fast']],
  [['drain', '--now']],
  [['dance']],
])('refuses %j and says what is possible', (argv) => {
  expect(() => parseCommandLine(argv)).toThrow(/reason|unknown command|knows no option/);
});

it('lists every command in its help', () => {
  for (const word of ['run', 'status', 'check', 'drain', 'job-started', 'abandon', '--version'])
    expect(usage).toContain(`runner-agent ${word}`);
});

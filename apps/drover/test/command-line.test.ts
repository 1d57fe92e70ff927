import { describe, expect, it } from 'vitest';
import { droverAlone } from './memory-io.test-support.ts';

describe('a wrong command line of drover', () => {
  it.each([
    ['an unknown command', ['flee'], "unknown command 'flee' (Did you mean fleet?)"],
    ['an unknown command of a group', ['fleet', 'statsu'], "unknown command 'statsu' (Did you mean status?)"],
    ['a command like no other', ['fleet', 'dance'], "unknown command 'dance'"],
    ['an unknown option', ['fleet', 'status', '--stak', 'x'], "unknown option '--stak' (Did you mean --stack?)"],
    ['an option like two', ['local', '--sped', '3'], "unknown option '--sped' (Did you mean one of --seed, --speed?)"],
    ['a missing argument', ['fleet', 'logs'], "missing required argument 'function|instance'"],
    ['an argument too many', ['output', 'one', 'two'], 'too many arguments'],
    ['a value that is none', ['local', '--speed', '0'], 'allowed is a whole number from 1 to 3600'],
    ['a format that is none', ['fleet', 'doctor', '--format', 'xml'], 'Allowed choices are text, json.'],
  ])(
    'a command line of drover with %s: exit 2, one line on stderr that says so, nothing on stdout',
    async (_title, argv, message) => {
      const { exitCode, stdout, stderr } = await droverAlone(...argv);

      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^drover: .+ \(add --help for the options\)\n$/);
      expect(stderr).toContain(message);
      expect(stdout).toBe('');
    },
  );

  it.each(['bash', 'zsh', 'fish'])(
    'completion %s offers the commands of each group and their options',
    async (shell) => {
      const { exitCode, stdout } = await droverAlone('completion', shell);
      expect(exitCode).toBe(0);
      for (const word of ['local', 'fleet', 'complete-termination', 'port-base', 'what-if'])
        expect(stdout).toContain(word);
    },
  );

  it('--help teaches on stdout', async () => {
    const { exitCode, stdout, stderr } = await droverAlone('fleet', '--help');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('one check for every error condition');
  });
});

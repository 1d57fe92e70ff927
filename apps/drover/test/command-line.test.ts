import { type CommandSpec, parse } from '@drover/command-tree';
import { helpText } from '@drover/command-tree/help';
import { moduleVersion } from '@drover/core/names/version';
import { describe, expect, it } from 'vitest';
import { tree } from '../src/tree/tree.ts';
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
    ['a value that is none', ['local', '--speed', '0'], 'It must be a whole number from 1 to 3600.'],
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
    expect(await droverAlone('help', 'fleet')).toEqual({ exitCode, stdout, stderr });
  });

  it.each([
    ['nothing at all', [], 'Usage: drover [OPTIONS] COMMAND'],
    ['a group without its command', ['fleet'], 'Usage: drover fleet COMMAND'],
  ])('drover with %s: exit 2, the help on stderr, nothing on stdout', async (_title, argv, help) => {
    const { exitCode, stdout, stderr } = await droverAlone(...argv);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(help);
  });

  it('drover --version and -V print the version', async () => {
    expect((await droverAlone('--version')).stdout).toBe(`${moduleVersion}\n`);
    expect((await droverAlone('-V')).stdout).toBe(`${moduleVersion}\n`);
  });
});

const commands: readonly CommandSpec[] = tree.commands;

it.each(commands.flatMap(({ path, examples }) => examples.map(([typed]): [string, string] => [typed, path.join(' ')])))(
  'the example of the help of drover is understood: %s',
  (typed, name) => {
    const parsed = parse(tree, typed.replace(/ [|>].*/, '').split(' '), {});

    expect(parsed).toMatchObject({ kind: 'invocation', invocation: { name } });
  },
);

it.each([[], ['fleet'], ['cluster'], ...commands.map(({ path }) => [...path])])(
  'the help of drover %s %s fits 80 columns',
  (...path) => {
    const tooLong = helpText(
      tree,
      path.filter((word) => word !== undefined),
    )
      .split('\n')
      .filter((line) => line.length > 80);

    expect(tooLong).toEqual([]);
  },
);

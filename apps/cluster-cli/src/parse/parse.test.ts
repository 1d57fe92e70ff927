import { moduleVersion } from '@drover/core/names/version';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryIo } from '../../test/support/memory-io.ts';
import { main } from '../main.ts';
import { globalOptions } from '../tree/globals.ts';
import { commands, tree } from '../tree/tree.ts';
import type { CommandSpec, Invocation, OptionSpec } from '../tree/types.ts';
import { parseFully } from './full.ts';
import { parseQuickly } from './quick.ts';

const fully = (argv: readonly string[]): Invocation | undefined => {
  const parsed = parseFully(argv, tree, { version: '0', out: () => {}, err: () => {} });
  return 'invocation' in parsed ? parsed.invocation : undefined;
};
const plain = (invocation: Invocation | undefined) =>
  invocation === undefined
    ? undefined
    : {
        path: invocation.command.path,
        globals: { ...invocation.globals },
        args: strip(invocation.input.args),
        options: { ...invocation.input.options },
      };
const strip = (args: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

const words = (text: string) =>
  [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]!);

describe('the two parsers', () => {
  const examples = commands.flatMap((command) => command.examples.map(([typed]) => typed.replace(/ >.*/, '')));

  it.each(examples)('both read the example: %s', (typed) => {
    const argv = words(typed);

    expect(plain(parseQuickly(argv))).toEqual(plain(fully(argv)));
    expect(parseQuickly(argv)).toBeDefined();
  });

  const value = ({ choices, kind }: OptionSpec) =>
    choices !== undefined
      ? fc.constantFrom(...choices, 'purple')
      : kind === undefined
        ? fc.constantFrom('x', 'a b', '-', '0', '-x', 'é')
        : fc.constantFrom('0', '1', '9200', '70000', '-1', 'x', '1.5');
  const option = (spec: OptionSpec): fc.Arbitrary<string[]> =>
    spec.value === undefined
      ? fc.constant([`--${spec.name}`])
      : fc
          .tuple(value(spec), fc.boolean())
          .map(([text, equals]) => (equals ? [`--${spec.name}=${text}`] : [`--${spec.name}`, text]));
  const options = (specs: readonly OptionSpec[]) =>
    specs.length === 0
      ? fc.constant<string[]>([])
      : fc.array(fc.constantFrom(...specs).chain(option), { maxLength: 4 }).map((list) => list.flat());
  const args = ({ args: specs }: CommandSpec) =>
    fc.array(fc.constantFrom('x', 'GET', 'bash', 'get', '/_cat', ''), { maxLength: specs.length + 1 });
  const line = fc
    .constantFrom(...commands)
    .chain((command) =>
      fc.tuple(options(globalOptions), fc.constant(command.path), args(command), options(command.options)),
    )
    .map(([globals, path, rest, own]) => [...globals, ...path, ...rest, ...own]);

  it('never disagree: what the quick one reads, the full one reads alike', () => {
    fc.assert(
      fc.property(line, (argv) => {
        const quick = parseQuickly(argv);
        if (quick !== undefined) expect(plain(quick)).toEqual(plain(fully(argv)));
      }),
      { numRuns: 1500, seed: 5 },
    );
  });
});

describe('the two --username', () => {
  it.each([
    ['both', ['--username', 'admin', 'passwd', '--username', 'app'], 'admin', 'app'],
    ['only whose', ['passwd', '--username', 'app'], 'elastic', 'app'],
    ['with =', ['--username=admin', 'passwd', '--username=app'], 'admin', 'app'],
  ])('are different options: %s', (_title, argv, who, whose) => {
    for (const parsed of [parseQuickly(argv), fully(argv)]) {
      expect(parsed?.globals.username).toBe(who);
      expect(parsed?.input.options.username).toBe(whose);
    }
  });

  it('whose password is required', async () => {
    const { io, stderr } = memoryIo();

    expect(await main(['--username', 'admin', 'passwd'], io)).toBe(2);
    expect(stderr()).toContain("'--username <USER>' not specified");
  });
});

describe('mistakes', () => {
  it.each([
    ['an unknown command', ['cluster-helth'], "unknown command 'cluster-helth' (Did you mean cluster-health?)"],
    ['an unknown command of a group', ['cat', 'shardz'], "unknown command 'shardz' (Did you mean shards?)"],
    ['an unknown option', ['cluster-health', '--colour'], "unknown option '--colour'"],
    [
      'an unknown option like another',
      ['cluster', 'allocation-explain', '--replika'],
      "unknown option '--replika' (Did you mean --replica?)",
    ],
    ['a global option in the wrong place', ['cluster-health', '--format', 'json'], 'stands before the command'],
    ['a missing argument', ['snapshots', 'create'], "missing required argument 'REPOSITORY'"],
    ['a missing value', ['--es-port'], "option '--es-port <PORT>' argument missing"],
    ['a missing required option', ['cluster', 'decommission-node'], "'--reason <TEXT>' not specified"],
    ['too many arguments', ['cat', 'shards', 'x'], 'too many arguments'],
    [
      'a format that is none',
      ['--format', 'xml', 'cat', 'shards'],
      'Allowed choices are text, json, cbor, yaml, smile',
    ],
    ['a port that is none', ['--es-port', '0', 'cat', 'shards'], 'a port from 1 to 65535'],
    [
      'a wait of nothing',
      ['cluster', 'commission-node', '--wait-until-complete', '0'],
      'a whole number of seconds above 0',
    ],
    ['a shard that is none', ['cluster', 'allocation-explain', '--shard', 'x'], 'a whole number, 0 or above'],
    [
      'two that exclude each other',
      ['cluster', 'allocation-explain', '--primary', '--replica'],
      "cannot be used with option '--replica'",
    ],
    ['half of a shard', ['cluster', 'allocation-explain', '--index', 'logs'], 'together'],
    ['a shell that is none', ['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish'],
    ['bad JSON', ['api', 'POST', '/_search', '-d', '{'], 'the body after -d is not JSON'],
    ['a file that is none', ['api', 'POST', '/_search', '-d', '@nowhere'], 'does not exist'],
    ['a method that is none', ['api', 'FETCH', '/'], 'Allowed choices are GET'],
    ['a policy file that is none', ['snapshots', 'policy', 'nowhere.json'], 'does not exist'],
    ['nobody to ask', ['snapshots', 'delete-repository', 'backups'], 'say --yes'],
  ])('%s: exit 2, one line on stderr, nothing on stdout', async (_title, argv, message) => {
    const { io, stdout, stderr } = memoryIo({ env: { CLUSTER_CLI_PASSWORD: 'p' } });

    expect(await main(argv, io)).toBe(2);
    expect(stderr()).toMatch(/^cluster-cli: .+\n$/);
    expect(stderr()).toContain(message);
    expect(stdout()).toBe('');
  });

  it.each([
    ['nothing at all', [], 'Usage: cluster-cli'],
    ['a group without its command', ['cluster'], 'Usage: cluster-cli cluster'],
  ])('%s: exit 2, the help on stderr, nothing on stdout', async (_title, argv, help) => {
    const { io, stdout, stderr } = memoryIo();

    expect(await main(argv, io)).toBe(2);
    expect(stderr()).toContain(help);
    expect(stdout()).toBe('');
  });
});

describe('help', () => {
  it.each([
    [['--help'], 'Exit codes: 0 done'],
    [['cluster', '--help'], 'decommission-node'],
    ...commands.map((command): [string[], string] => [[...command.path, '--help'], 'Examples:']),
  ])('%j goes to stdout and teaches', async (argv, expected) => {
    const { io, stdout, stderr } = memoryIo();

    expect(await main(argv, io)).toBe(0);
    expect(stdout()).toContain(expected);
    expect(stderr()).toBe('');
  });

  it('prints its version', async () => {
    const { io, stdout } = memoryIo();

    expect(await main(['--version'], io)).toBe(0);
    expect(stdout()).toBe(`${moduleVersion}\n`);
  });
});

describe('the environment', () => {
  it('gives host and port, and what is typed wins', async () => {
    const { io, stderr } = memoryIo({ env: { CLUSTER_CLI_ES_HOST: 'es.example', CLUSTER_CLI_ES_PORT: '9999' } });

    await main(['cluster-health'], io);
    await main(['--es-host', 'other', 'cluster-health'], io);

    expect(stderr()).toContain('http://es.example:9999');
    expect(stderr()).toContain('http://other:9999');
  });

  it('is checked as what is typed', async () => {
    const { io, stderr } = memoryIo({ env: { CLUSTER_CLI_ES_PORT: 'x' } });

    expect(await main(['cluster-health'], io)).toBe(2);
    expect(stderr()).toContain('a port from 1 to 65535');
  });
});

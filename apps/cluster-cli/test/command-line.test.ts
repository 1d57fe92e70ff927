import { type CommandSpec, type Invocation, type OptionSpec, optionKey, parse } from '@drover/command-tree';
import { helpText } from '@drover/command-tree/help';
import { moduleVersion } from '@drover/core/names/version';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { tree } from '../src/tree/tree.ts';
import { memoryIo } from './support/memory-io.ts';

const commands: readonly CommandSpec[] = tree.commands;
const globalOptions: readonly OptionSpec[] = tree.globalOptions;

function invocation(...argv: readonly string[]): Invocation<typeof tree> | undefined {
  const parsed = parse(tree, argv, {});
  return parsed.kind === 'invocation' ? parsed.invocation : undefined;
}

const words = (text: string) =>
  [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]!);

describe('well-formed command lines', () => {
  const examples = commands.flatMap((command) =>
    command.examples.map(([typed]): [string, string] => [typed.replace(/ >.*/, ''), command.path.join(' ')]),
  );

  it.each(examples)('the example of the help is understood: %s', (typed, name) => {
    expect(invocation(...words(typed))?.name).toBe(name);
  });

  it('fills in the defaults of the global options', () => {
    expect(invocation('cat', 'shards')?.globals).toEqual({
      debug: false,
      quiet: false,
      username: 'elastic',
      esProtocol: 'http',
      esHost: '127.0.1.1',
      esPort: 9200,
      format: 'text',
      requestTimeout: 10,
    });
  });

  it('reads options before, between and after arguments, with = or a space', () => {
    const expected = {
      args: { REPOSITORY: 'backups', SNAPSHOT: 's1' },
      options: { index: 'a,b', renamePrefix: 'old-', wait: true, yes: false },
    };
    const command = ['snapshots', 'restore'];

    for (const rest of [
      ['--index', 'a,b', '--rename-prefix=old-', '--wait', 'backups', 's1'],
      ['backups', '--index=a,b', '--wait', 's1', '--rename-prefix', 'old-'],
      ['backups', 's1', '--rename-prefix', 'new-', '--index', 'a,b', '--wait', '--rename-prefix', 'old-'],
    ])
      expect(invocation(...command, ...rest)?.input).toMatchObject(expected);
  });

  it.each([
    ['a value that begins with a dash', ['node', 'abandon', '--reason', '-x'], { reason: '-x' }],
    ['an empty value', ['node', 'abandon', '--reason='], { reason: '' }],
    ['a value with an equals sign', ['node', 'abandon', '--reason=a=b'], { reason: 'a=b' }],
    ['a short option', ['api', 'GET', '/', '-d', '{}'], { data: '{}' }],
    ['a short option with its value attached', ['api', 'GET', '/', '-d{}'], { data: '{}' }],
    ['standard input as a value', ['api', 'GET', '/', '--data', '-'], { data: '-' }],
    [
      'numbers',
      ['cluster', 'allocation-explain', '--shard', '0'],
      { shard: 0, index: undefined, primary: false, replica: false },
    ],
  ])('reads %s', (_title, argv, options) => {
    expect(invocation(...argv)?.input.options).toEqual(options);
  });

  it('takes everything after -- as arguments', () => {
    expect(invocation('cat', 'nodes', '--', '--name')?.input.args).toEqual({ NODE: '--name' });
  });

  it('takes a method of any case', () => {
    expect(invocation('api', 'get', '/')?.input.args).toEqual({ METHOD: 'GET', PATH: '/' });
  });
});

describe('any command line', () => {
  const value = ({ choices, kind }: OptionSpec) =>
    choices !== undefined
      ? fc.constantFrom(...choices, 'purple')
      : kind === undefined
        ? fc.constantFrom('x', 'a b', '-', '0', '-x', 'é', '--', '')
        : fc.constantFrom('0', '1', '9200', '70000', '-1', 'x', '1.5');
  const option = (spec: OptionSpec): fc.Arbitrary<string[]> =>
    spec.value === undefined
      ? fc.constantFrom([`--${spec.name}`], [`--${spec.name}=1`])
      : fc
          .tuple(value(spec), fc.boolean())
          .map(([text, equals]) => (equals ? [`--${spec.name}=${text}`] : [`--${spec.name}`, text]));
  const options = (specs: readonly OptionSpec[]) =>
    specs.length === 0
      ? fc.constant<string[]>([])
      : fc.array(fc.constantFrom(...specs).chain(option), { maxLength: 4 }).map((list) => list.flat());
  const args = ({ args: specs = [] }: CommandSpec) =>
    fc.array(fc.constantFrom('x', 'GET', 'bash', 'get', '/_cat', '', '--'), { maxLength: specs.length + 1 });
  const line = fc
    .constantFrom(...commands)
    .chain((command) =>
      fc.tuple(options(globalOptions), fc.constant(command.path), args(command), options(command.options ?? [])),
    )
    .map(([globals, path, rest, own]) => ({ command: path.join(' '), argv: [...globals, ...path, ...rest, ...own] }));

  it('any command line is either parsed, with values as the tree describes them, or refused with a message', () => {
    fc.assert(
      fc.property(line, ({ command, argv }) => {
        const parsed = parse(tree, argv, {});
        if (parsed.kind === 'mistake') {
          expect(parsed.message).toMatch(/^[a-z].+/);
          return;
        }
        if (parsed.kind !== 'invocation') throw new Error(`${argv.join(' ')} is ${parsed.kind}`);
        const { name, globals, input } = parsed.invocation;
        const spec = commands.find(({ path }) => path.join(' ') === name)!;
        expect(name).toBe(command);
        for (const [specs, values] of [
          [globalOptions, globals],
          [spec.options ?? [], input.options],
        ] as const)
          for (const one of specs) expectValue(one, (values as Readonly<Record<string, unknown>>)[optionKey(one.name)]);
        for (const { name: argument, optional, choices } of spec.args ?? []) {
          const given = (input.args as Readonly<Record<string, string | undefined>>)[argument];
          if (optional !== true) expect(given).toBeDefined();
          if (choices !== undefined) expect(choices).toContain(given);
        }
      }),
      { numRuns: 1500, seed: 5 },
    );
  });

  function expectValue(spec: OptionSpec, value: unknown): void {
    if (spec.value === undefined) expect(typeof value).toBe('boolean');
    else if (value === undefined) expect([spec.required, spec.default]).toEqual([undefined, undefined]);
    else if (spec.choices !== undefined) expect(spec.choices).toContain(value);
    else expect(typeof value).toBe(spec.kind === undefined ? 'string' : 'number');
  }
});

describe('the two --username', () => {
  it.each([
    ['both', ['--username', 'admin', 'passwd', '--username', 'app'], 'admin', 'app'],
    ['only whose', ['passwd', '--username', 'app'], 'elastic', 'app'],
    ['with =', ['--username=admin', 'passwd', '--username=app'], 'admin', 'app'],
  ])('the option --username of passwd and the global one are different: %s', (_title, argv, who, whose) => {
    const parsed = invocation(...argv);

    expect([parsed?.globals.username, parsed?.input.options]).toMatchObject([who, { username: whose }]);
  });

  it('the one that says whose password changes is required', async () => {
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
    ['a flag with a value', ['--quiet=1', 'cat', 'shards'], "option '--quiet' takes no value"],
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
    ['no one to ask', ['snapshots', 'delete-repository', 'backups'], 'say --yes'],
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
    [['cluster', 'no-such-command', '--help'], 'decommission-node'],
    [['cat', 'shards', 'x', '--nonsense', '-h'], 'Examples:'],
  ])('%j prints the help on stdout', async (argv, expected) => {
    const { io, stdout, stderr } = memoryIo();

    expect(await main(argv, io)).toBe(0);
    expect(stdout()).toContain(expected);
    expect(stderr()).toBe('');
  });

  it('--version prints the version', async () => {
    const { io, stdout } = memoryIo();

    expect(await main(['--version'], io)).toBe(0);
    expect(stdout()).toBe(`${moduleVersion}\n`);
  });
});

describe('the environment', () => {
  it('gives host and port, and a typed option wins', async () => {
    const { io, stderr } = memoryIo({ env: { CLUSTER_CLI_ES_HOST: 'es.example', CLUSTER_CLI_ES_PORT: '9999' } });

    await main(['cluster-health'], io);
    await main(['--es-host', 'other', 'cluster-health'], io);

    expect(stderr()).toContain('http://es.example:9999');
    expect(stderr()).toContain('http://other:9999');
  });

  it('values of the environment are checked like typed ones', async () => {
    const { io, stderr } = memoryIo({ env: { CLUSTER_CLI_ES_PORT: 'x' } });

    expect(await main(['cluster-health'], io)).toBe(2);
    expect(stderr()).toContain('a port from 1 to 65535');
  });
});

it('lays the help out in columns that fit the terminal', () => {
  expect(helpText(tree, ['completion'], 60)).toBe(`Usage: cluster-cli completion [options] <SHELL>

print the completion script of a shell

Arguments:
  SHELL       which shell (choices: "bash", "zsh", "fish")

Options:
  -h, --help  show this help

Examples:
  $ cluster-cli completion bash > /etc/bash_completion.d/cluster-cli
      install it for bash
`);
  for (const { path } of [{ path: [] }, { path: ['cluster'] }, ...commands])
    expect(
      helpText(tree, path)
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
});

import { didYouMean } from './did-you-mean.ts';
import type {
  ArgumentSpec,
  CommandInput,
  CommandName,
  CommandSpec,
  CommandTree,
  OptionSpec,
  OptionValues,
} from './types.ts';

/** One complete command line. */
export interface Invocation<Tree extends CommandTree> {
  readonly name: CommandName<Tree>;
  readonly globals: OptionValues<Tree['globalOptions']>;
  readonly input: CommandInput<Tree, CommandName<Tree>>;
}

/** The result of parsing a command line. */
export type Parsed<Tree extends CommandTree> =
  | { readonly kind: 'invocation'; readonly invocation: Invocation<Tree> }
  /** The help of the program, a group or a command; `asked` is false when the command is missing. */
  | { readonly kind: 'help'; readonly path: readonly string[]; readonly asked: boolean }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a command line against the command tree: global options, the words of the command, its options and arguments. */
export function parse<Tree extends CommandTree>(tree: Tree, argv: readonly string[], env: Environment): Parsed<Tree> {
  try {
    // The values are read by the very specs from which the types are inferred.
    return parseProgram({ tree, argv, env }) as Parsed<Tree>;
  } catch (error) {
    if (error instanceof Mistake) return { kind: 'mistake', message: error.message };
    throw error;
  }
}

class Mistake extends Error {}

interface Line {
  readonly tree: CommandTree;
  readonly argv: readonly string[];
  readonly env: Environment;
}

const versionOption: OptionSpec = { name: 'version', short: 'V', summary: '' };

function parseProgram(line: Line): Parsed<CommandTree> {
  const { argv, tree, env } = line;
  const { globalOptions, groups } = tree;
  const globals = scan(argv, 0, [...globalOptions, versionOption], 'until-word');
  if (globals.help) return { kind: 'help', path: [], asked: true };
  if (globals.values.version === true) return { kind: 'version' };
  refuseUnknown(globals, globalOptions, []);
  const first = argv[globals.next];
  if (first === undefined) return { kind: 'help', path: [], asked: false };
  const group = Object.hasOwn(groups, first) ? scan(argv, globals.next + 1, [], 'until-word') : undefined;
  if (group?.help === true) return { kind: 'help', path: [first], asked: true };
  if (group !== undefined) refuseUnknown(group, [], globalOptions);
  const second = group === undefined ? undefined : argv[group.next];
  if (group !== undefined && second === undefined) return { kind: 'help', path: [first], asked: false };
  const command = tree.commands.find(({ path }) => path[0] === first && path[1] === second);
  const at = (group?.next ?? globals.next) + 1;
  if (command === undefined && argv.slice(at).some(isHelp))
    return { kind: 'help', path: group === undefined ? [] : [first], asked: true };
  if (command === undefined) throw unknownCommand(tree, first, second);
  return parseCommand(line, command, at, valuesOf(globals, globalOptions, env));
}

const isHelp = (word: string) => word === '-h' || word === '--help';

function unknownCommand({ commands }: CommandTree, first: string, second: string | undefined): Mistake {
  const [typed, known] =
    second === undefined
      ? [first, [...new Set(commands.map(({ path }) => path[0]))]]
      : [second, commands.filter(({ path }) => path[0] === first).map(({ path }) => path[1]!)];
  return new Mistake(`unknown command '${typed}'${didYouMean(typed, known)}`);
}

function parseCommand({ tree, argv, env }: Line, command: CommandSpec, at: number, globals: Values) {
  const { options = [] } = command;
  const scanned = scan(argv, at, options, 'to-the-end');
  if (scanned.help) return { kind: 'help', path: command.path, asked: true } as const;
  refuseUnknown(scanned, options, tree.globalOptions);
  const input = { options: valuesOf(scanned, options, env), args: argumentsOf(command, scanned.words) };
  return { kind: 'invocation', invocation: { name: command.path.join(' '), globals, input } } as const;
}

type Values = Record<string, never>;

interface Scanned {
  readonly values: Record<string, unknown>;
  readonly words: string[];
  /** The index at which scanning stopped. */
  next: number;
  help: boolean;
  unknown: string | undefined;
}

/** Reads options from `at` on. `--` ends the options. */
function scan(
  argv: readonly string[],
  at: number,
  specs: readonly OptionSpec[],
  mode: 'until-word' | 'to-the-end',
): Scanned {
  const scanned: Scanned = { values: {}, words: [], next: at, help: false, unknown: undefined };
  while (scanned.next < argv.length) {
    const word = argv[scanned.next]!;
    if (mode === 'until-word' && !isOption(word)) return scanned;
    scanned.next += 1;
    if (word === '--') {
      if (mode === 'to-the-end') scanned.words.push(...argv.slice(scanned.next));
      if (mode === 'to-the-end') scanned.next = argv.length;
      return scanned;
    }
    if (isOption(word)) takeOption(scanned, word, argv, specs);
    else scanned.words.push(word);
  }
  return scanned;
}

const isOption = (word: string | undefined) => word?.startsWith('-') === true && word !== '-';

/** Reads one option, and its value from the same word or the next one. */
function takeOption(scanned: Scanned, word: string, argv: readonly string[], specs: readonly OptionSpec[]): void {
  if (isHelp(word)) {
    scanned.help = true;
    return;
  }
  const { name, short, inline } = divide(word);
  const spec = specs.find((option) => (name === undefined ? option.short === short : option.name === name));
  if (spec === undefined) scanned.unknown ??= word;
  else if (spec.value === undefined && inline !== undefined)
    throw new Mistake(`option '${flagsOf(spec)}' takes no value`);
  else if (spec.value === undefined) scanned.values[optionKey(spec.name)] = true;
  else takeValue(scanned, spec, inline, argv);
}

function takeValue(scanned: Scanned, spec: OptionSpec, inline: string | undefined, argv: readonly string[]): void {
  const key = optionKey(spec.name);
  const isBare = inline === undefined && (argv[scanned.next] === undefined || isOption(argv[scanned.next]));
  if (isBare && spec.preset !== undefined) {
    scanned.values[key] = spec.preset;
    return;
  }
  const text = inline ?? argv[scanned.next++];
  if (text === undefined) throw new Mistake(`option '${flagsOf(spec)}' argument missing`);
  const texts = [text];
  if (spec.list === 'words')
    while (scanned.next < argv.length && !isOption(argv[scanned.next])) texts.push(argv[scanned.next++]!);
  const before = (scanned.values[key] ?? []) as readonly unknown[];
  scanned.values[key] = spec.list === undefined ? readValue(spec, text) : [...before, ...texts];
}

/** `--name`, `--name=value`, `-n`, `-nvalue` */
function divide(word: string): { name?: string; short?: string; inline: string | undefined } {
  if (!word.startsWith('--')) return { short: word[1]!, inline: word.length > 2 ? word.slice(2) : undefined };
  const equals = word.indexOf('=');
  return equals < 0
    ? { name: word.slice(2), inline: undefined }
    : { name: word.slice(2, equals), inline: word.slice(equals + 1) };
}

/** `dryRun` for the option `dry-run`: the name under which its value is found. */
export const optionKey = (name: string): string =>
  name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

/** `-d, --data <JSON>` */
export function flagsOf({ name, short, value, preset, list }: OptionSpec): string {
  const typed = `${value}${list === 'words' ? '...' : ''}`;
  const shown = value === undefined ? '' : preset === undefined ? ` <${typed}>` : ` [${typed}]`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${shown}`;
}

/** Global options in the wrong place are the most common mistake. */
function refuseUnknown({ unknown }: Scanned, own: readonly OptionSpec[], elsewhere: readonly OptionSpec[]): void {
  if (unknown === undefined) return;
  const { name } = divide(unknown);
  const misplaced = elsewhere.some((option) => option.name === name);
  throw new Mistake(
    misplaced
      ? `unknown option '${unknown}' here: --${name} is a global option and stands before the command`
      : `unknown option '${unknown}'${name === undefined ? '' : didYouMean(`--${name}`, [...own.map((option) => `--${option.name}`), '--help'])}`,
  );
}

function valuesOf({ values }: Scanned, specs: readonly OptionSpec[], env: Environment): Values {
  const isGiven = ({ name }: OptionSpec) => values[optionKey(name)] !== undefined;
  for (const spec of specs.filter(isGiven)) {
    const other = specs.find((each) => spec.conflicts?.includes(each.name) === true && isGiven(each));
    if (other !== undefined)
      throw new Mistake(`option '${flagsOf(spec)}' cannot be used with option '${flagsOf(other)}'`);
  }
  for (const spec of specs) values[optionKey(spec.name)] ??= unlessTyped(spec, env);
  return values as Values;
}

function unlessTyped(spec: OptionSpec, env: Environment): unknown {
  const fromEnvironment = spec.env === undefined ? '' : (env[spec.env] ?? '');
  if (fromEnvironment !== '') return readValue(spec, fromEnvironment);
  if (spec.required === true) throw new Mistake(`required option '${flagsOf(spec)}' not specified`);
  if (spec.list !== undefined) return [];
  if (spec.value === undefined) return false;
  return typeof spec.default === 'string' ? readValue(spec, spec.default) : spec.default;
}

function readValue(spec: OptionSpec, text: string): unknown {
  const wrong = (why: string) => new Mistake(`option '${flagsOf(spec)}' argument '${text}' is invalid. ${why}`);
  if (spec.choices !== undefined && !spec.choices.includes(text)) throw wrong(choicesText(spec.choices));
  const { read = (typed) => (spec.kind === undefined || spec.kind === 'text' ? typed : readNumber(spec, typed)) } =
    spec;
  const value = read(text);
  if (value === undefined) throw wrong(`It must be ${formOf(spec)}.`);
  return value;
}

function readNumber({ kind, range }: OptionSpec, text: string): number | undefined {
  const [least, most] = range ?? ranges[kind as keyof typeof ranges];
  const hasForm = (kind === 'number' ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text);
  return hasForm && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
}

const ranges = {
  seconds: [1, Number.MAX_SAFE_INTEGER],
  integer: [0, Number.MAX_SAFE_INTEGER],
  number: [0, Number.MAX_SAFE_INTEGER],
  port: [1, 65_535],
} as const;

function formOf({ kind, range, form }: OptionSpec): string {
  if (form !== undefined) return form;
  if (kind === 'port') return `a port from ${(range ?? ranges.port).join(' to ')}`;
  const number = `a ${kind === 'number' ? '' : 'whole '}number${kind === 'seconds' ? ' of seconds' : ''}`;
  if (range !== undefined) return `${number} from ${range[0]} to ${range[1]}`;
  return kind === 'seconds' ? `${number} above 0` : `${number}, 0 or above`;
}

const choicesText = (choices: readonly string[]) => `Allowed choices are ${choices.join(', ')}.`;

function argumentsOf({ args = [], path }: CommandSpec, words: readonly string[]): Values {
  if (words.length > args.length && args.at(-1)?.list !== true)
    throw new Mistake(
      `too many arguments for '${path.at(-1)}'. Expected ${args.length} argument${args.length === 1 ? '' : 's'} but got ${words.length}.`,
    );
  return Object.fromEntries(
    args.map((spec, at) => [spec.name, spec.list === true ? words.slice(at) : argumentOf(spec, words[at])]),
  ) as Values;
}

function argumentOf(
  { name, optional, choices, upperCase }: ArgumentSpec,
  typed: string | undefined,
): string | undefined {
  if (typed === undefined && optional !== true) throw new Mistake(`missing required argument '${name}'`);
  const word = upperCase === true ? typed?.toUpperCase() : typed;
  if (word !== undefined && choices !== undefined && !choices.includes(word))
    throw new Mistake(`command-argument value '${typed}' is invalid for argument '${name}'. ${choicesText(choices)}`);
  return word;
}

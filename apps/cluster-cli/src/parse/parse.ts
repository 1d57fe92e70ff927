import { type GlobalValues, globalOptions } from '../tree/globals.ts';
import { type CommandInput, type CommandName, commands, groups } from '../tree/tree.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../tree/types.ts';
import { didYouMean } from './did-you-mean.ts';

/** One complete command line. */
export interface Invocation {
  readonly name: CommandName;
  readonly globals: GlobalValues;
  readonly input: CommandInput<CommandName>;
}

/** The result of parsing a command line. */
export type Parsed =
  | { readonly kind: 'invocation'; readonly invocation: Invocation }
  /** The help of the program, a group or a command; `asked` is false when the command is missing. */
  | { readonly kind: 'help'; readonly path: readonly string[]; readonly asked: boolean }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly message: string };

/** Environment variables stand for options that were not typed: a typed one comes later and wins. */
export function withEnvironment(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { CLUSTER_CLI_ES_HOST: host, CLUSTER_CLI_ES_PORT: port } = env;
  return [
    ...(host === undefined || host === '' ? [] : [`--es-host=${host}`]),
    ...(port === undefined || port === '' ? [] : [`--es-port=${port}`]),
    ...argv,
  ];
}

/** Reads a command line against the command tree: global options, the words of the command, its options and arguments. */
export function parse(argv: readonly string[]): Parsed {
  try {
    return parseProgram(argv);
  } catch (error) {
    if (error instanceof Mistake) return { kind: 'mistake', message: error.message };
    throw error;
  }
}

class Mistake extends Error {}

type Value = string | number | boolean | undefined;

function parseProgram(argv: readonly string[]): Parsed {
  const globals = scan(argv, 0, [...globalOptions, { name: 'version', summary: '' }], 'until-word');
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
  const command = findCommand(first, second);
  const rest = argv.slice((group?.next ?? globals.next) + 1);
  if (command === undefined && rest.some(isHelp))
    return { kind: 'help', path: group === undefined ? [] : [first], asked: true };
  if (command === undefined) throw unknownCommand(first, second);
  return parseCommand(command, argv, (group?.next ?? globals.next) + 1, valuesOf(globals, globalOptions));
}

const isHelp = (word: string) => word === '-h' || word === '--help';

const findCommand = (first: string, second: string | undefined): CommandSpec | undefined =>
  commands.find(({ path }) => path[0] === first && path[1] === second);

function unknownCommand(first: string, second: string | undefined): Mistake {
  const known =
    second === undefined ? topWords : commands.filter(({ path }) => path[0] === first).map(({ path }) => path[1]!);
  const typed = second ?? first;
  return new Mistake(`unknown command '${typed}'${didYouMean(typed, known)}`);
}

const topWords = [...new Set<string>(commands.map(({ path }) => path[0]))];

function parseCommand(command: CommandSpec, argv: readonly string[], at: number, globals: unknown): Parsed {
  const scanned = scan(argv, at, command.options, 'to-the-end');
  if (scanned.help) return { kind: 'help', path: command.path, asked: true };
  refuseUnknown(scanned, command.options, globalOptions);
  const input = { options: valuesOf(scanned, command.options), args: argumentsOf(command, scanned.words) };
  // The values were read by the very specs from which the types are inferred.
  return { kind: 'invocation', invocation: { name: command.path.join(' '), globals, input } as unknown as Invocation };
}

interface Scanned {
  readonly values: Record<string, Value>;
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
    const isOption = word.startsWith('-') && word !== '-';
    if (mode === 'until-word' && !isOption) return scanned;
    scanned.next += 1;
    if (word === '--') {
      if (mode === 'to-the-end') scanned.words.push(...argv.slice(scanned.next));
      if (mode === 'to-the-end') scanned.next = argv.length;
      return scanned;
    }
    if (isOption) takeOption(scanned, word, argv, specs);
    else scanned.words.push(word);
  }
  return scanned;
}

/** Reads one option, and its value from the same word or the next one. */
function takeOption(scanned: Scanned, word: string, argv: readonly string[], specs: readonly OptionSpec[]): void {
  if (isHelp(word)) {
    scanned.help = true;
    return;
  }
  const { name, short, inline } = divide(word);
  const spec = specs.find((option) => (name === undefined ? option.short === short : option.name === name));
  if (spec === undefined) {
    scanned.unknown ??= word;
  } else if (spec.value === undefined) {
    if (inline !== undefined) throw new Mistake(`option '${flagsOf(spec)}' takes no value`);
    scanned.values[spec.name] = true;
  } else {
    const text = inline ?? argv[scanned.next++];
    if (text === undefined) throw new Mistake(`option '${flagsOf(spec)}' argument missing`);
    scanned.values[spec.name] = readValue(spec, text);
  }
}

/** `--name`, `--name=value`, `-n`, `-nvalue` */
function divide(word: string): { name?: string; short?: string; inline: string | undefined } {
  if (!word.startsWith('--')) return { short: word[1]!, inline: word.length > 2 ? word.slice(2) : undefined };
  const equals = word.indexOf('=');
  return equals < 0
    ? { name: word.slice(2), inline: undefined }
    : { name: word.slice(2, equals), inline: word.slice(equals + 1) };
}

/** `-d, --data <JSON>` */
export const flagsOf = ({ name, short, value }: OptionSpec): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;

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

function valuesOf({ values }: Scanned, specs: readonly OptionSpec[]): Readonly<Record<string, Value>> {
  for (const spec of specs) {
    const other = specs.find(({ name }) => name === spec.conflicts);
    if (other !== undefined && values[spec.name] !== undefined && values[other.name] !== undefined)
      throw new Mistake(`option '${flagsOf(spec)}' cannot be used with option '${flagsOf(other)}'`);
    if (spec.required === true && values[spec.name] === undefined)
      throw new Mistake(`required option '${flagsOf(spec)}' not specified`);
    values[spec.name] ??= spec.value === undefined ? false : spec.default;
  }
  return values;
}

function readValue(spec: OptionSpec, text: string): string | number {
  const wrong = (why: string) => new Mistake(`option '${flagsOf(spec)}' argument '${text}' is invalid. ${why}`);
  if (spec.choices !== undefined && !spec.choices.includes(text)) throw wrong(choicesText(spec.choices));
  if (spec.kind === undefined || spec.kind === 'text') return text;
  const { least, most, wanted } = numbers[spec.kind];
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) throw wrong(`It must be ${wanted}.`);
  return number;
}

const numbers = {
  seconds: { least: 1, most: Number.MAX_SAFE_INTEGER, wanted: 'a whole number of seconds above 0' },
  integer: { least: 0, most: Number.MAX_SAFE_INTEGER, wanted: 'a whole number, 0 or above' },
  port: { least: 1, most: 65_535, wanted: 'a port from 1 to 65535' },
} as const;

const choicesText = (choices: readonly string[]) => `Allowed choices are ${choices.join(', ')}.`;

function argumentsOf(command: CommandSpec, words: readonly string[]): Readonly<Record<string, string | undefined>> {
  const { args, path } = command;
  if (words.length > args.length)
    throw new Mistake(
      `too many arguments for '${path.at(-1)}'. Expected ${args.length} argument${args.length === 1 ? '' : 's'} but got ${words.length}.`,
    );
  return Object.fromEntries(args.map((spec, at) => [spec.name, argumentOf(spec, words[at])]));
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

import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import type { ArgumentSpec, CommandSpec, CommandTree, Invocation, OptionSpec, OptionValues } from '../tree/types.ts';
import { examplesText } from './help.ts';
import { readValue } from './values.ts';

export interface ParseIo {
  readonly version: string;
  out(text: string): void;
  err(text: string): void;
}

export type Parsed = { readonly invocation: Invocation } | { readonly exitCode: number };

/** The full parser: help, version, and a clear word about every mistake. */
export function parseFully(argv: readonly string[], tree: CommandTree, io: ParseIo): Parsed {
  let invocation: Invocation | undefined;
  const program = buildProgram(tree, io, (found) => {
    invocation = found;
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.usage };
  }
  return invocation === undefined ? { exitCode: exitCodes.usage } : { invocation };
}

/** The command tree as commander knows it. */
export function buildProgram(tree: CommandTree, io: ParseIo, found: (invocation: Invocation) => void): Command {
  const program = configure(new Command('cluster-cli'), tree, io)
    .description('Manage an Elasticsearch cluster that runs in autoscaling groups.')
    .version(io.version, '--version', 'print the version')
    .enablePositionalOptions()
    .usage('[OPTIONS] COMMAND');
  for (const option of tree.globalOptions) program.addOption(toOption(option));
  program.addHelpText('after', programEpilogue);
  const parents = new Map<string, Command>();
  for (const spec of tree.commands) {
    const parent = spec.path.length === 1 ? program : groupOf(program, parents, spec.path[0], tree, io);
    parent.addCommand(toCommand(spec, program, tree, io, found));
  }
  return program;
}

function groupOf(
  program: Command,
  groupsSoFar: Map<string, Command>,
  name: string,
  tree: CommandTree,
  io: ParseIo,
): Command {
  const known = groupsSoFar.get(name);
  if (known !== undefined) return known;
  const group = configure(new Command(name), tree, io)
    .description(tree.groups[name] ?? '')
    .usage('COMMAND');
  groupsSoFar.set(name, group);
  program.addCommand(group);
  return group;
}

function toCommand(
  spec: CommandSpec,
  program: Command,
  tree: CommandTree,
  io: ParseIo,
  found: (invocation: Invocation) => void,
): Command {
  const command = configure(new Command(spec.path.at(-1)), tree, io)
    .summary(spec.summary)
    .description([spec.summary, ...(spec.details ?? [])].join('\n'));
  for (const arg of spec.args) command.addArgument(toArgument(arg));
  for (const option of spec.options) command.addOption(toOption(option));
  command.addHelpText('after', examplesText(spec));
  command.action((...given) => {
    const words = given.slice(0, spec.args.length) as (string | undefined)[];
    const args = Object.fromEntries(spec.args.map(({ name }, at) => [name, words[at]]));
    found({
      command: spec,
      globals: valuesOf(tree.globalOptions, program.opts()),
      input: { words: spec.path, args, options: valuesOf(spec.options, command.opts()) },
    });
  });
  return command;
}

function toArgument(spec: ArgumentSpec): Argument {
  const argument = new Argument(spec.optional === true ? `[${spec.name}]` : `<${spec.name}>`, spec.summary);
  if (spec.choices === undefined) return argument;
  argument.argChoices = [...spec.choices];
  return argument.argParser((typed: string) => {
    const word = spec.upperCase === true ? typed.toUpperCase() : typed;
    if (spec.choices!.includes(word)) return word;
    throw new InvalidArgumentError(`Allowed choices are ${spec.choices!.join(', ')}.`);
  });
}

/** Commander names options in camel case; the tree's own names are used from here on. */
function valuesOf(specs: readonly OptionSpec[], given: Record<string, unknown>): OptionValues {
  const values: Record<string, string | number | boolean> = {};
  for (const { name } of specs) {
    const value = given[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) values[name] = value as string | number | boolean;
  }
  return values;
}

function toOption(spec: OptionSpec): Option {
  const flags = `${spec.short === undefined ? '' : `-${spec.short}, `}--${spec.name}${spec.value === undefined ? '' : ` <${spec.value}>`}`;
  const option = new Option(flags, spec.summary);
  if (spec.value !== undefined) option.argParser((text) => parseValue(spec, text));
  if (spec.choices !== undefined) option.argChoices = [...spec.choices];
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.required === true) option.makeOptionMandatory();
  if (spec.conflicts !== undefined) option.conflicts(spec.conflicts);
  return option;
}

function parseValue(spec: OptionSpec, text: string): string | number {
  const read = readValue(spec, text);
  if ('wrong' in read) throw new InvalidArgumentError(read.wrong);
  return read.value;
}

function configure(command: Command, tree: CommandTree, io: ParseIo): Command {
  return command
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) => write(`cluster-cli: ${withHint(oneLine(text), tree)}\n`),
    })
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .allowExcessArguments(false);
}

/** What commander would have meant comes on a line of its own. */
const oneLine = (text: string) =>
  text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ');

/** Global options in the wrong place are the most common mistake. */
function withHint(message: string, { globalOptions }: CommandTree): string {
  const name = /unknown option '--([\w-]+)/.exec(message)?.[1];
  if (name === undefined || !globalOptions.some((option) => option.name === name)) return message;
  return `${message.split(' (Did you mean ')[0]} here: --${name} is a global option and stands before the command`;
}

const programEpilogue = `
Exit codes: 0 done, 1 failed, 2 usage, 3 refused by a safety check, 4 timed out, 5 stalled.
Data goes to stdout, everything else to stderr.

Examples:
  $ cluster-cli cluster-health                       how is the cluster?
  $ cluster-cli --format json cat nodes              the nodes, for a script
  $ cluster-cli cluster decommission-node --reason upgrade --dry-run
                                                     could this node go now?
  $ cluster-cli cluster decommission-node --help     what a command does`;

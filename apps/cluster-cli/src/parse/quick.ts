import { globalOptions } from '../tree/globals.ts';
import { findCommand } from '../tree/tree.ts';
import type { CommandSpec, Invocation, OptionSpec } from '../tree/types.ts';
import { readValue } from './values.ts';

/**
 * Reads a well-formed command line without loading the full parser, which would cost a command that runs in cron on every
 * node more than all the rest. Anything unusual (help, abbreviations, mistakes) is left to the full parser: undefined.
 */
export function parseQuickly(argv: readonly string[]): Invocation | undefined {
  const globals = new Options(globalOptions);
  const first = globals.take(argv, 0, true);
  if (first === undefined) return undefined;
  const command = findCommand(argv[first], argv[first + 1]);
  if (command === undefined) return undefined;
  const own = new Options(command.options);
  if (own.take(argv, first + command.path.length, false) === undefined) return undefined;
  const args = readArguments(command, own.words);
  if (args === undefined || !own.complete() || !globals.complete()) return undefined;
  return { command, globals: globals.values, input: { words: command.path, args, options: own.values } };
}

class Options {
  readonly values: Record<string, string | number | boolean> = {};
  readonly words: string[] = [];
  readonly #specs: readonly OptionSpec[];

  constructor(specs: readonly OptionSpec[]) {
    this.#specs = specs;
  }

  /** Reads options from `at`; answers where it stopped, or undefined when something is unusual. */
  take(argv: readonly string[], at: number, untilWord: boolean): number | undefined {
    let next = at;
    while (next < argv.length) {
      const word = argv[next]!;
      if (word === '-' || !word.startsWith('-')) {
        if (untilWord) return next;
        this.words.push(word);
        next += 1;
      } else {
        const used = this.#takeOption(word, argv[next + 1]);
        if (used === undefined) return undefined;
        next += used;
      }
    }
    return next;
  }

  /** How many words an option used. */
  #takeOption(word: string, following: string | undefined): number | undefined {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const spec = this.#specs.find(
      (option) => name === `--${option.name}` || (option.short !== undefined && word === `-${option.short}`),
    );
    if (spec === undefined) return undefined;
    if (spec.value === undefined) {
      this.values[spec.name] = true;
      return equals < 0 ? 1 : undefined;
    }
    const text = equals < 0 ? following : word.slice(equals + 1);
    if (text === undefined || (equals < 0 && text.startsWith('-') && text !== '-')) return undefined;
    const read = readValue(spec, text);
    if ('wrong' in read) return undefined;
    this.values[spec.name] = read.value;
    return equals < 0 ? 2 : 1;
  }

  /** Fills in defaults; answers whether everything required is there and nothing excludes another. */
  complete(): boolean {
    for (const { name, required, conflicts, default: fallback } of this.#specs) {
      if (required === true && this.values[name] === undefined) return false;
      if (conflicts !== undefined && this.values[name] !== undefined && this.values[conflicts] !== undefined)
        return false;
      if (fallback !== undefined) this.values[name] ??= fallback;
    }
    return true;
  }
}

function readArguments(command: CommandSpec, words: readonly string[]): Record<string, string> | undefined {
  if (words.length > command.args.length) return undefined;
  const args: Record<string, string> = {};
  for (const [at, { name, optional, choices, upperCase }] of command.args.entries()) {
    const typed = words[at];
    if (typed === undefined && optional !== true) return undefined;
    if (typed === undefined) continue;
    const word = upperCase === true ? typed.toUpperCase() : typed;
    if (choices !== undefined && !choices.includes(word)) return undefined;
    args[name] = word;
  }
  return args;
}

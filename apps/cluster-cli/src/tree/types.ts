/** The words of the command line as data: parsers, help, completion and the reference page are all made from it. */
export interface OptionSpec {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; a flag has none. */
  readonly value?: string;
  readonly kind?: 'text' | 'seconds' | 'integer' | 'port';
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly required?: true;
  readonly conflicts?: string;
  readonly summary: string;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  /** Typed in any case, taken as upper case. */
  readonly upperCase?: true;
  readonly summary: string;
}

export interface CommandSpec {
  /** One or two words. */
  readonly path: readonly [string] | readonly [string, string];
  readonly summary: string;
  readonly details?: readonly string[];
  readonly args: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [string, string])[];
}

/** What was typed after the command's words; names are as in the tree. */
export interface CommandInput {
  /** The command's own words. */
  readonly words: readonly string[];
  readonly args: Readonly<Record<string, string | undefined>>;
  readonly options: OptionValues;
}

export type OptionValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** All words of the command line. */
export interface CommandTree {
  readonly globalOptions: readonly OptionSpec[];
  readonly commands: readonly CommandSpec[];
  /** What each group of commands is about. */
  readonly groups: Readonly<Record<string, string>>;
}

/** One complete command line. */
export interface Invocation {
  readonly command: CommandSpec;
  readonly globals: OptionValues;
  readonly input: CommandInput;
}

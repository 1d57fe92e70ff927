/** The command line as data: the parser, the help, the completion and the reference page are all made from it. */
export interface OptionSpec {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; a flag has none. */
  readonly value?: string;
  /** @default 'text' */
  readonly kind?: 'text' | 'seconds' | 'integer' | 'number' | 'port';
  /** Smallest and largest number. */
  readonly range?: readonly [least: number, most: number];
  readonly choices?: readonly string[];
  /** Reads a value of its own form; returns undefined when the text has another one. */
  readonly read?: (text: string) => unknown;
  /** The form that `read` wants, for people. */
  readonly form?: string;
  /** Text is read as if it had been typed. */
  readonly default?: string | number;
  /** The default in words, if the command finds it itself. */
  readonly defaultText?: string;
  /** The value of the option when it is typed without one. */
  readonly preset?: number;
  /** May be given more than once; `words` also takes several words at a time. */
  readonly list?: 'repeated' | 'words';
  /** Environment variable that stands for the option when it is not typed. */
  readonly env?: string;
  readonly required?: true;
  /** Names of options that must not be given together with this one. */
  readonly conflicts?: readonly string[];
  readonly summary: string;
}

/** An option with a value; text by default. */
export const valueOption = <const Name extends string>(name: Name, value: string, summary: string) =>
  ({ name, value, summary }) as const;

export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: true;
  /** Takes all words that are left. */
  readonly list?: true;
  readonly choices?: readonly string[];
  /** Typed in any case, used in upper case. */
  readonly upperCase?: true;
  readonly summary: string;
}

/** A command to type, and its effect. */
type Example = readonly [typed: string, effect: string];

export interface CommandSpec {
  /** One or two words. */
  readonly path: readonly [string] | readonly [string, string];
  readonly summary: string;
  readonly details?: readonly string[];
  /** @default none */
  readonly args?: readonly ArgumentSpec[];
  /** @default none */
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
}

/** All words of a command line. */
export interface CommandTree {
  readonly program: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly examples: readonly Example[];
  /** Options that stand before the command. */
  readonly globalOptions: readonly OptionSpec[];
  readonly commands: readonly CommandSpec[];
  /** One line about each group of commands. */
  readonly groups: Readonly<Record<string, string>>;
}

type ValueOf<Spec> = Spec extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Spec extends { readonly read: (text: string) => infer Value }
    ? Exclude<Value, undefined>
    : Spec extends { readonly kind: 'seconds' | 'integer' | 'number' | 'port' }
      ? number
      : string;

/** A flag is true or false; the value of any other option is undefined unless it is required or has a default. */
type OptionValue<Spec> = Spec extends { readonly list: string }
  ? readonly string[]
  : Spec extends { readonly value: string }
    ?
        | ValueOf<Spec>
        | (Spec extends { readonly required: true } | { readonly default: string | number } ? never : undefined)
    : boolean;

/** `dryRun` for the option `--dry-run`. */
type KeyOf<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<KeyOf<Tail>>}`
  : Name;

/** The values of options, by name. */
export type OptionValues<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in Specs[number] as KeyOf<Spec['name']>]: OptionValue<Spec>;
};

/** The values of arguments, by name. */
type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  readonly [Spec in Specs[number] as Spec['name']]: Spec extends { readonly list: true }
    ? readonly string[]
    : ValueOf<Spec> | (Spec extends { readonly optional: true } ? undefined : never);
};

type NameOf<Path extends readonly string[]> = Path extends readonly [
  infer First extends string,
  infer Second extends string,
]
  ? `${First} ${Second}`
  : Path[0];

type CommandsByName<Tree extends CommandTree> = {
  readonly [Spec in Tree['commands'][number] as NameOf<Spec['path']>]: Spec;
};

/** The words of a command, e.g. `cluster reap`. */
export type CommandName<Tree extends CommandTree> = keyof CommandsByName<Tree> & string;

type ArgsOf<Spec> = Spec extends { readonly args: infer Args extends readonly ArgumentSpec[] } ? Args : readonly [];
type OptionsOf<Spec> = Spec extends { readonly options: infer Own extends readonly OptionSpec[] } ? Own : readonly [];

/** The arguments and options that were given to a command, typed as the tree describes them. */
export interface CommandInput<Tree extends CommandTree, Name extends CommandName<Tree>> {
  readonly args: ArgumentValues<ArgsOf<CommandsByName<Tree>[Name]>>;
  readonly options: OptionValues<OptionsOf<CommandsByName<Tree>[Name]>>;
}

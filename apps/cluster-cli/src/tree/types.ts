/** The command line as data: the parser, the help, the completion and the reference page are all made from it. */
export interface OptionSpec {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; a flag has none. */
  readonly value?: string;
  /** @default 'text' */
  readonly kind?: 'text' | 'seconds' | 'integer' | 'port';
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly required?: true;
  /** Name of an option that must not be given together with this one. */
  readonly conflicts?: string;
  readonly summary: string;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  /** Typed in any case, used in upper case. */
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
  /** Commands to type, with their effect. */
  readonly examples: readonly (readonly [string, string])[];
}

/** All words of the command line. */
export interface CommandTree {
  readonly globalOptions: readonly OptionSpec[];
  readonly commands: readonly CommandSpec[];
  /** One line about each group of commands. */
  readonly groups: Readonly<Record<string, string>>;
}

type ValueOf<Spec> = Spec extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Spec extends { readonly kind: 'seconds' | 'integer' | 'port' }
    ? number
    : string;

/** A flag is true or false; the value of any other option is undefined unless it is required or has a default. */
type OptionValue<Spec> = Spec extends { readonly value: string }
  ?
      | ValueOf<Spec>
      | (Spec extends { readonly required: true } | { readonly default: string | number } ? never : undefined)
  : boolean;

/** The values of options, by name. */
export type OptionValues<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in Specs[number] as Spec['name']]: OptionValue<Spec>;
};

/** The values of arguments, by name. */
export type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  readonly [Spec in Specs[number] as Spec['name']]:
    | ValueOf<Spec>
    | (Spec extends { readonly optional: true } ? undefined : never);
};

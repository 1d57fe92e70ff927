/**
 * Inputs of a module as a table: one entry a key of the configuration file. The same table types the construct's
 * camelCase props, checks both forms and writes the reference in docs/CONFIGURATION.md.
 */
export interface Field<T, Required extends boolean = boolean> {
  readonly description: string;
  readonly required: Required;
  /** Shown in the reference. */
  readonly defaultText: string;
  /** What is allowed, as a phrase: `a whole number from 1 to 49`. */
  readonly allowed: string;
  /** The checked value, or undefined when it is not allowed. */
  parse(value: unknown): T | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds fields of every type
export type Fields = Readonly<Record<string, Field<any>>>;

type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Key;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F] &
  string;

/** The construct's props: camelCase, optional unless required. */
export type PropsOf<F extends Fields> = {
  readonly [K in RequiredKeys<F> as Camel<K>]: ValueOf<F[K]>;
} & { readonly [K in Exclude<keyof F & string, RequiredKeys<F>> as Camel<K>]?: ValueOf<F[K]> | undefined };

interface Notes {
  readonly description: string;
  readonly default?: string;
}

const field =
  <T>(allowed: string, parse: (value: unknown) => T | undefined) =>
  <R extends boolean>(required: R, notes: Notes): Field<T, R> => ({
    description: notes.description,
    required,
    defaultText: notes.default ?? (required ? '' : 'none'),
    allowed,
    parse,
  });

interface TextRule {
  readonly pattern?: RegExp;
  readonly allowed?: string;
}

const textField = ({ pattern, allowed }: TextRule = {}) =>
  field(allowed ?? 'text', (value) =>
    typeof value === 'string' && value !== '' && (pattern?.test(value) ?? true) ? value : undefined,
  );

export const text = (notes: Notes & TextRule): Field<string, false> => textField(notes)(false, notes);
export const requiredText = (notes: Notes & TextRule): Field<string, true> => textField(notes)(true, notes);

interface NumberRule {
  readonly least: number;
  readonly most: number;
}

const inRange = (value: unknown, { least, most }: NumberRule) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most ? (value as number) : undefined;

export const wholeNumber = (notes: Notes & NumberRule): Field<number, false> =>
  field(`a whole number from ${notes.least} to ${notes.most}`, (value) => inRange(value, notes))(false, notes);

/** A number that may also be null: null means "not used". */
export const numberOrNull = (notes: Notes & NumberRule): Field<number | null, false> =>
  field(`null, or a whole number from ${notes.least} to ${notes.most}`, (value) =>
    value === null ? null : inRange(value, notes),
  )(false, notes);

export const flag = (notes: Notes): Field<boolean, false> =>
  field('true or false', (value) => (typeof value === 'boolean' ? value : undefined))(false, notes);

export const oneOf = <const T extends string>(choices: readonly T[], notes: Notes): Field<T, false> =>
  field(`one of ${choices.join(', ')}`, (value) => (choices.includes(value as T) ? (value as T) : undefined))(
    false,
    notes,
  );

const listField = ({ pattern, allowed, least = 0 }: TextRule & { readonly least?: number }) =>
  field(`a list of ${allowed ?? 'texts'}${least > 0 ? ` with at least ${least}` : ''}`, (value) =>
    Array.isArray(value) &&
    value.length >= least &&
    value.every((entry) => typeof entry === 'string' && entry !== '' && (pattern?.test(entry) ?? true))
      ? (value as readonly string[])
      : undefined,
  );

export const texts = (notes: Notes & TextRule): Field<readonly string[], false> => listField(notes)(false, notes);
export const requiredTexts = (notes: Notes & TextRule): Field<readonly string[], true> =>
  listField({ ...notes, least: 1 })(true, notes);

/** A map of texts, as for tags. */
export const textMap = (notes: Notes): Field<Readonly<Record<string, string>>, false> =>
  field('a map of texts', (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((v) => typeof v === 'string')
      ? (value as Readonly<Record<string, string>>)
      : undefined,
  )(false, notes);

export const camelCase = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

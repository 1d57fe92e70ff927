/**
 * Inputs of a construct as a table: one entry for each key of the configuration file. The table checks files and props,
 * and docs/CONFIGURATION.md is generated from it; a test compares it with the interface of the props.
 */
export interface Field<T, Required extends boolean = boolean> {
  readonly description: string;
  readonly required: Required;
  /** Shown in the reference. */
  readonly defaultText: string;
  /** The allowed values, as a phrase: `a whole number from 1 to 49`. */
  readonly allowed: string;
  readonly kind: FieldKind;
  /** The limits of a number. */
  readonly range?: NumberRange;
  /** The checked value, or undefined when it is not allowed. */
  parse(value: unknown): T | undefined;
}

export type FieldKind = 'text' | 'number' | 'flag' | 'list' | 'map';

// biome-ignore lint/suspicious/noExplicitAny: a table holds fields of every type
export type Fields = Readonly<Record<string, Field<any>>>;

type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Key;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F] &
  string;

/** The props that a table describes: camelCase, optional unless required. */
export type PropsOf<F extends Fields> = {
  readonly [K in RequiredKeys<F> as Camel<K>]: ValueOf<F[K]>;
} & { readonly [K in Exclude<keyof F & string, RequiredKeys<F>> as Camel<K>]?: ValueOf<F[K]> | undefined };

interface Notes {
  readonly description: string;
  readonly default?: string;
}

interface Shape<T> {
  readonly kind: FieldKind;
  readonly allowed: string;
  readonly range?: NumberRange;
  parse(value: unknown): T | undefined;
}

const field = <T, R extends boolean>(required: R, notes: Notes, shape: Shape<T>): Field<T, R> => ({
  description: notes.description,
  required,
  defaultText: notes.default ?? (required ? '' : 'none'),
  ...shape,
});

interface TextRule {
  readonly pattern?: RegExp;
  /** A condition that no pattern can express. */
  accepts?(value: string): boolean;
  readonly allowed?: string;
}

const isText = (value: unknown, { pattern, accepts }: TextRule): value is string =>
  typeof value === 'string' && value !== '' && (pattern?.test(value) ?? true) && (accepts?.(value) ?? true);

const textShape = (rule: TextRule): Shape<string> => ({
  kind: 'text',
  allowed: rule.allowed ?? 'text',
  parse: (value) => (isText(value, rule) ? value : undefined),
});

export const text = (notes: Notes & TextRule): Field<string, false> => field(false, notes, textShape(notes));
export const requiredText = (notes: Notes & TextRule): Field<string, true> => field(true, notes, textShape(notes));

/** An id of digits: YAML reads it as a number unless it is quoted. */
export const digits = (notes: Notes): Field<string, false> =>
  field(false, notes, {
    kind: 'text',
    allowed: 'digits',
    parse(value) {
      const written = Number.isSafeInteger(value) ? String(value) : value;
      return typeof written === 'string' && /^\d+$/.test(written) ? written : undefined;
    },
  });

interface NumberRange {
  readonly least: number;
  readonly most: number;
}

const inRange = (value: unknown, { least, most }: NumberRange) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most ? (value as number) : undefined;

export const wholeNumber = (notes: Notes & NumberRange): Field<number, false> =>
  field(false, notes, {
    kind: 'number',
    allowed: `a whole number from ${notes.least} to ${notes.most}`,
    range: notes,
    parse: (value) => inRange(value, notes),
  });

/** A number that may also be null: null means "not used". */
export const numberOrNull = (notes: Notes & NumberRange): Field<number | null, false> =>
  field<number | null, false>(false, notes, {
    kind: 'number',
    allowed: `null, or a whole number from ${notes.least} to ${notes.most}`,
    range: notes,
    parse: (value) => (value === null ? null : inRange(value, notes)),
  });

/** A number, or the word `none`. */
export const numberOrNone = (notes: Notes & NumberRange): Field<number | 'none', false> =>
  field<number | 'none', false>(false, notes, {
    kind: 'number',
    allowed: `none, or a whole number from ${notes.least} to ${notes.most}`,
    range: notes,
    parse: (value) => (value === 'none' ? value : inRange(value, notes)),
  });

/** One of several numbers. */
export const oneOfNumbers = (choices: readonly number[], notes: Notes): Field<number, false> =>
  field(false, notes, {
    kind: 'number',
    allowed: `one of ${choices.join(', ')}`,
    range: { least: Math.min(...choices), most: Math.max(...choices) },
    parse: (value) => choices.find((choice) => choice === value),
  });

export const flag = (notes: Notes): Field<boolean, false> =>
  field(false, notes, {
    kind: 'flag',
    allowed: 'true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  });

export const oneOf = <const T extends string>(choices: readonly T[], notes: Notes): Field<T, false> =>
  field(false, notes, {
    kind: 'text',
    allowed: `one of ${choices.join(', ')}`,
    parse: (value) => choices.find((choice) => choice === value),
  });

const listShape = (rule: TextRule, least: number): Shape<readonly string[]> => ({
  kind: 'list',
  allowed: `a list of ${rule.allowed ?? 'texts'}${least > 0 ? ` with at least ${least}` : ''}`,
  parse: (value) =>
    Array.isArray(value) && value.length >= least && value.every((entry) => isText(entry, rule)) ? value : undefined,
});

export const texts = (notes: Notes & TextRule): Field<readonly string[], false> =>
  field(false, notes, listShape(notes, 0));
export const requiredTexts = (notes: Notes & TextRule): Field<readonly string[], true> =>
  field(true, notes, listShape(notes, 1));

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapShape = <T>(
  rule: TextRule,
  values: string,
  accepts: (entry: unknown) => boolean,
): Shape<Readonly<Record<string, T>>> => ({
  kind: 'map',
  allowed: `a map of ${rule.allowed ?? 'texts'} to ${values}`,
  parse: (value) =>
    isMap(value) && Object.entries(value).every(([key, entry]) => isText(key, rule) && accepts(entry))
      ? (value as Readonly<Record<string, T>>)
      : undefined,
});

/** A map of texts, e.g. tags; the rule is for its keys. */
export const textMap = (notes: Notes & TextRule): Field<Readonly<Record<string, string>>, false> =>
  field(
    false,
    notes,
    mapShape<string>(notes, 'texts', (entry) => typeof entry === 'string'),
  );

/** A map to texts that follow a rule of their own; the rule is for its keys. */
export const ruledTextMap = (
  notes: Notes & TextRule & { readonly values: TextRule },
): Field<Readonly<Record<string, string>>, false> =>
  field(
    false,
    notes,
    mapShape<string>(notes, notes.values.allowed ?? 'texts', (entry) => isText(entry, notes.values)),
  );

/** A value of a setting, as YAML has it. */
export type SettingValue = string | number | boolean | readonly string[];

/** A map to values of settings; the rule is for its keys. */
export const settingMap = (notes: Notes & TextRule): Field<Readonly<Record<string, SettingValue>>, false> =>
  field(
    false,
    notes,
    mapShape<SettingValue>(
      notes,
      'texts, numbers, true or false, or lists of texts',
      (entry) =>
        ['string', 'number', 'boolean'].includes(typeof entry) ||
        (Array.isArray(entry) && entry.every((each) => typeof each === 'string')),
    ),
  );

/** A map to records whose members are all there; the rule is for its keys. */
export const recordMap = <T extends object>({
  members,
  ...notes
}: Notes & TextRule & { readonly members: { readonly [K in keyof T]: (value: unknown) => boolean } }): Field<
  Readonly<Record<string, T>>,
  false
> => {
  const names = Object.keys(members) as (keyof T & string)[];
  const isRecord = (entry: unknown) =>
    isMap(entry) && Object.keys(entry).length === names.length && names.every((name) => members[name](entry[name]));
  return field(false, notes, mapShape<T>(notes, `maps of ${names.join(', ')}`, isRecord));
};

interface RecordRule<T> {
  readonly members: { readonly [K in keyof T]-?: TextRule };
  /** The member that is always there; a text instead of a record is this one. */
  readonly needs: keyof T & string;
  /** A condition on several members. */
  accepts?(record: T): boolean;
}

/** A map of texts or of records of texts; the rule is for its keys. */
export function textOrRecordMap<T extends object>({
  accepts,
  members,
  needs,
  ...notes
}: Notes & Omit<TextRule, 'accepts'> & RecordRule<T>): Field<Readonly<Record<string, string | T>>, false> {
  const rules: Readonly<Record<string, TextRule>> = members;
  const isRecord = (entry: unknown) =>
    isMap(entry) &&
    entry[needs] !== undefined &&
    Object.entries(entry).every(
      ([key, value]) =>
        value === undefined ||
        (Object.hasOwn(rules, key) && (value === '' ? key === needs : isText(value, rules[key]!))),
    ) &&
    (accepts?.(entry as T) ?? true);
  const values = `texts, or maps of ${Object.keys(rules).join(', ')}`;
  return field(
    false,
    notes,
    mapShape<string | T>(notes, values, (entry) => typeof entry === 'string' || isRecord(entry)),
  );
}

/** A list of maps whose members are all there, spelt as in files or as in props; they are given on in camelCase. */
export const recordList = <T extends object>({
  members,
  ...notes
}: Notes & {
  readonly members: Readonly<Record<string, { readonly allowed: string; accepts(value: unknown): boolean }>>;
}): Field<readonly T[], false> => {
  const names = Object.keys(members);
  const read = (entry: unknown) => {
    if (!isMap(entry)) return undefined;
    const given = Object.fromEntries(Object.entries(entry).map(([key, value]) => [camelCase(key), value]));
    const whole =
      Object.keys(given).length === Object.keys(entry).length &&
      Object.keys(given).length === names.length &&
      names.every((name) => members[name]!.accepts(given[camelCase(name)]));
    return whole ? (given as T) : undefined;
  };
  return field(false, notes, {
    kind: 'list',
    allowed: `a list of maps of ${names.map((name) => `${name} (${members[name]!.allowed})`).join(', ')}`,
    parse(value) {
      const records = Array.isArray(value) ? value.map(read) : [undefined];
      return records.every((entry) => entry !== undefined) ? records : undefined;
    },
  });
};

export const camelCase = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

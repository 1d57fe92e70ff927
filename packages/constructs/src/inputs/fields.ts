/**
 * Inputs of a construct as a table: one entry for each key of the configuration file. The table checks files and props.
 * What an input means and its default are in the TSDoc of its prop, from which docs/CONFIGURATION.md is generated.
 */
export interface Field<T> {
  /** The purpose of a required input, in the message that it is missing. An input without it is optional. */
  readonly meaning?: string;
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

interface Required {
  readonly meaning: string;
}

/** `vpc_id` is `vpcId`. */
export type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Key;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Required ? K : never }[keyof F] & string;

/** The props that a table describes: camelCase, optional unless required. */
export type PropsOf<F extends Fields> = {
  readonly [K in RequiredKeys<F> as Camel<K>]: ValueOf<F[K]>;
} & { readonly [K in Exclude<keyof F & string, RequiredKeys<F>> as Camel<K>]?: ValueOf<F[K]> | undefined };

export const required = <T>(meaning: string, field: Field<T>): Field<T> & Required => ({ ...field, meaning });

interface TextRule {
  readonly pattern?: RegExp;
  /** A condition that no pattern can express. */
  accepts?(value: string): boolean;
  readonly allowed?: string;
}

const isText = (value: unknown, { pattern, accepts }: TextRule): value is string =>
  typeof value === 'string' && value !== '' && (pattern?.test(value) ?? true) && (accepts?.(value) ?? true);

export const text = (rule: TextRule): Field<string> => ({
  kind: 'text',
  allowed: rule.allowed ?? 'text',
  parse: (value) => (isText(value, rule) ? value : undefined),
});

/** An id of digits: YAML reads it as a number unless it is quoted. */
export const digits: Field<string> = {
  kind: 'text',
  allowed: 'digits',
  parse(value) {
    const written = Number.isSafeInteger(value) ? String(value) : value;
    return typeof written === 'string' && /^\d+$/.test(written) ? written : undefined;
  },
};

interface NumberRange {
  readonly least: number;
  readonly most: number;
}

export const wholeNumber = (least: number, most: number): Field<number> => ({
  kind: 'number',
  allowed: `a whole number from ${least} to ${most}`,
  range: { least, most },
  parse: (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most ? (value as number) : undefined,
});

/** A number, or a word that stands for none; null means "not used". */
export function wholeNumberOr<const T extends string | null>(other: T, least: number, most: number): Field<number | T> {
  const { allowed, parse, ...number } = wholeNumber(least, most);
  return {
    ...number,
    allowed: `${other}, or ${allowed}`,
    parse: (value) => (value === other ? other : parse(value)),
  };
}

/** One of several numbers. */
export const oneOfNumbers = (...choices: readonly number[]): Field<number> => ({
  kind: 'number',
  allowed: `one of ${choices.join(', ')}`,
  range: { least: Math.min(...choices), most: Math.max(...choices) },
  parse: (value) => choices.find((choice) => choice === value),
});

export const flag: Field<boolean> = {
  kind: 'flag',
  allowed: 'true or false',
  parse: (value) => (typeof value === 'boolean' ? value : undefined),
};

export const oneOf = <const T extends string>(...choices: readonly T[]): Field<T> => ({
  kind: 'text',
  allowed: `one of ${choices.join(', ')}`,
  parse: (value) => choices.find((choice) => choice === value),
});

export const texts = (rule: TextRule, least = 0): Field<readonly string[]> => ({
  kind: 'list',
  allowed: `a list of ${rule.allowed ?? 'texts'}${least > 0 ? ` with at least ${least}` : ''}`,
  parse: (value) =>
    Array.isArray(value) && value.length >= least && value.every((entry) => isText(entry, rule)) ? value : undefined,
});

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type MapField<T> = Field<Readonly<Record<string, T>>>;

const mapOf = <T>(keys: TextRule, values: string, accepts: (entry: unknown) => boolean): MapField<T> => ({
  kind: 'map',
  allowed: `a map of ${keys.allowed ?? 'texts'} to ${values}`,
  parse: (value) =>
    isMap(value) && Object.entries(value).every(([key, entry]) => isText(key, keys) && accepts(entry))
      ? (value as Readonly<Record<string, T>>)
      : undefined,
});

/** A map to texts, e.g. tags; an empty one is allowed unless there is a rule for them. */
export const textMap = (keys: TextRule, values?: TextRule): MapField<string> =>
  mapOf(keys, values?.allowed ?? 'texts', (entry) =>
    values === undefined ? typeof entry === 'string' : isText(entry, values),
  );

/** A value of a setting, as YAML has it. */
export type SettingValue = string | number | boolean | readonly string[];

/** A map to values of settings. */
export const settingMap = (keys: TextRule): MapField<SettingValue> =>
  mapOf(
    keys,
    'texts, numbers, true or false, or lists of texts',
    (entry) =>
      ['string', 'number', 'boolean'].includes(typeof entry) ||
      (Array.isArray(entry) && entry.every((each) => typeof each === 'string')),
  );

/** A map to records whose members are all there. */
export function recordMap<T extends object>(
  keys: TextRule,
  members: { readonly [K in keyof T]: (value: unknown) => boolean },
): MapField<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  const isRecord = (entry: unknown) =>
    isMap(entry) && Object.keys(entry).length === names.length && names.every((name) => members[name](entry[name]));
  return mapOf(keys, `maps of ${names.join(', ')}`, isRecord);
}

/** A map to records with optional members, which a table of their own checks. They are given on in camelCase. */
export const tableMap = <T extends object>(keys: TextRule, values: string): MapField<T> => {
  const { allowed, kind, parse } = mapOf<T>(keys, values, isMap);
  const spelt = (record: T) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [camelCase(key), value])) as T;
  return {
    allowed,
    kind,
    parse: (value) => {
      const map = parse(value);
      return map && Object.fromEntries(Object.entries(map).map(([key, record]) => [key, spelt(record)]));
    },
  };
};

interface RecordRule<T> {
  readonly members: { readonly [K in keyof T]-?: TextRule };
  /** The member that is always there; a text instead of a record is this one. */
  readonly needs: keyof T & string;
  /** A condition on several members. */
  accepts?(record: T): boolean;
}

/** A map to texts or to records of texts. */
export function textOrRecordMap<T extends object>(keys: TextRule, rule: RecordRule<T>): MapField<string | T> {
  const rules: Readonly<Record<string, TextRule>> = rule.members;
  const isRecord = (entry: unknown) =>
    isMap(entry) &&
    entry[rule.needs] !== undefined &&
    Object.entries(entry).every(
      ([key, value]) =>
        value === undefined ||
        (Object.hasOwn(rules, key) && (value === '' ? key === rule.needs : isText(value, rules[key]!))),
    ) &&
    (rule.accepts?.(entry as T) ?? true);
  const values = `texts, or maps of ${Object.keys(rules).join(', ')}`;
  return mapOf(keys, values, (entry) => typeof entry === 'string' || isRecord(entry));
}

interface MemberRule<T> {
  readonly allowed: string;
  readonly members: Fields;
  /** Members that have to be there. */
  readonly needs: readonly (keyof T & string)[];
  /** A condition on several members. */
  accepts?(map: T): boolean;
}

/** A map with members of its own, spelt as in files or as in props; they are given on in camelCase. */
export function memberMap<T extends object>({ allowed, members, needs, accepts }: MemberRule<T>): Field<T> {
  const fields = new Map(Object.entries(members).map(([key, field]) => [camelCase(key), field]));
  return {
    kind: 'map',
    allowed,
    parse(value) {
      if (!isMap(value)) return undefined;
      const written = Object.entries(value).filter(([, member]) => member !== undefined);
      const read = written.map(([key, member]) => [camelCase(key), fields.get(camelCase(key))?.parse(member)] as const);
      const map: Readonly<Record<string, unknown>> = Object.fromEntries(read);
      const whole =
        Object.keys(map).length === read.length &&
        read.every(([, member]) => member !== undefined) &&
        needs.every((key) => map[key] !== undefined) &&
        (accepts?.(map as T) ?? true);
      return whole ? (map as T) : undefined;
    },
  };
}

/** A list of maps whose members are all there, spelt as in files or as in props; they are given on in camelCase. */
export function recordList<T extends object>(
  members: Readonly<Record<string, { readonly allowed: string; accepts(value: unknown): boolean }>>,
): Field<readonly T[]> {
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
  return {
    kind: 'list',
    allowed: `a list of maps of ${names.map((name) => `${name} (${members[name]!.allowed})`).join(', ')}`,
    parse(value) {
      const records = Array.isArray(value) ? value.map(read) : [undefined];
      return records.every((entry) => entry !== undefined) ? records : undefined;
    },
  };
}

export const camelCase = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

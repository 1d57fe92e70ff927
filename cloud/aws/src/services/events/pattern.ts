import { invalidPattern } from './errors.ts';

/** Matches one value of an event: a leaf, or undefined when the field is not there. */
type Test = (value: unknown) => boolean;
/** Matches an object of the event. */
export type EventMatcher = (event: unknown) => boolean;

type PatternObject = Readonly<Record<string, unknown>>;

/**
 * Compiles an event pattern. Operators and their rules: EventBridge User Guide, "Creating Amazon EventBridge event
 * patterns" and "Comparison operators for use in event patterns". Anything else is refused, as PutRule does.
 */
export function compilePattern(text: string): EventMatcher {
  return objectMatcher(parse(text), '');
}

function parse(text: string): PatternObject {
  try {
    const pattern: unknown = JSON.parse(text);
    if (isObject(pattern) && Object.keys(pattern).length > 0) return pattern;
  } catch {}
  throw invalidPattern('Reason: the pattern must be a JSON object with at least one field');
}

const isObject = (value: unknown): value is PatternObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every named field must match; fields that the pattern does not name do not matter. */
function objectMatcher(pattern: PatternObject, path: string): EventMatcher {
  const fields = Object.entries(pattern).map(([name, wanted]): EventMatcher => {
    const at = path === '' ? name : `${path}.${name}`;
    if (name === '$or') return orMatcher(wanted, at);
    if (Array.isArray(wanted)) return leafField(name, wanted, at);
    if (isObject(wanted)) return nestedField(name, objectMatcher(wanted, at));
    throw invalidPattern(`Reason: "${at}" must be an object or an array`);
  });
  return (event) => fields.every((field) => field(event));
}

function orMatcher(wanted: unknown, at: string): EventMatcher {
  if (!Array.isArray(wanted) || wanted.length < 2 || !wanted.every(isObject))
    throw invalidPattern(`Reason: "${at}" must be an array of at least two objects`);
  const options = wanted.map((option: PatternObject) => objectMatcher(option, at));
  return (event) => options.some((option) => option(event));
}

const fieldOf = (event: unknown, name: string): unknown => (isObject(event) ? event[name] : undefined);

/** Arrays of objects match when one of the objects does. */
const nestedField =
  (name: string, matches: EventMatcher): EventMatcher =>
  (event) => {
    const value = fieldOf(event, name);
    return Array.isArray(value) ? value.some(matches) : matches(value);
  };

/** One of the wanted values must match; an array in the event matches when its intersection is not empty. */
function leafField(name: string, wanted: readonly unknown[], at: string): EventMatcher {
  if (wanted.length === 0) throw invalidPattern(`Reason: Empty arrays are not allowed: "${at}"`);
  const tests = wanted.map((each) => leafTest(each, at));
  return (event) => {
    const value = fieldOf(event, name);
    const candidates = Array.isArray(value) && value.length > 0 ? value : [value];
    return tests.some((test) => candidates.some(test));
  };
}

function leafTest(wanted: unknown, at: string): Test {
  if (!isObject(wanted)) {
    if (Array.isArray(wanted)) throw invalidPattern(`Reason: "${at}" must not hold an array in an array`);
    return (value) => value === wanted;
  }
  const [operator, ...more] = Object.keys(wanted);
  const build = operators[operator ?? ''];
  if (build === undefined || more.length > 0)
    throw invalidPattern(`Reason: Unrecognized match type ${operator ?? ''} at "${at}"`);
  return build(wanted[operator!], at);
}

const operators: Readonly<Record<string, (argument: unknown, at: string) => Test>> = {
  prefix: (argument, at) => textTest(argument, at, (value, wanted) => value.startsWith(wanted)),
  suffix: (argument, at) => textTest(argument, at, (value, wanted) => value.endsWith(wanted)),
  'equals-ignore-case': (argument, at) => {
    const wanted = textOf(argument, at).toLowerCase();
    return (value) => typeof value === 'string' && value.toLowerCase() === wanted;
  },
  wildcard: (argument, at) => wildcardTest(textOf(argument, at), at),
  exists: existsTest,
  numeric: numericTest,
  'anything-but': anythingButTest,
};

/** `{"prefix": "a"}` or `{"prefix": {"equals-ignore-case": "a"}}`. */
function textTest(argument: unknown, at: string, compare: (value: string, wanted: string) => boolean): Test {
  const ignoring = isObject(argument) ? argument['equals-ignore-case'] : undefined;
  const wanted = textOf(ignoring ?? argument, at);
  if (ignoring === undefined) return (value) => typeof value === 'string' && compare(value, wanted);
  return (value) => typeof value === 'string' && compare(value.toLowerCase(), wanted.toLowerCase());
}

function textOf(argument: unknown, at: string): string {
  if (typeof argument !== 'string') throw invalidPattern(`Reason: the operator at "${at}" must be given a string`);
  return argument;
}

/** `*` stands for any characters; a backslash takes its meaning away. */
function wildcardTest(wanted: string, at: string): Test {
  if (/\*\*/.test(wanted)) throw invalidPattern(`Reason: Consecutive wildcard characters at "${at}"`);
  const parts = [...wanted.matchAll(/\\(.)|(\*)|([^\\*]+)/g)].map(([, escaped, star, plain]) =>
    star === undefined ? (escaped ?? plain ?? '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : '.*',
  );
  const expression = new RegExp(`^${parts.join('')}$`, 's');
  return (value) => typeof value === 'string' && expression.test(value);
}

/** Only leaf nodes exist for this operator: an object is not one. */
function existsTest(argument: unknown, at: string): Test {
  if (typeof argument !== 'boolean')
    throw invalidPattern(`Reason: exists match pattern at "${at}" must be true or false`);
  return (value) => (value !== undefined && !isObject(value)) === argument;
}

type Comparison = (value: number) => boolean;
const comparisons: Readonly<Record<string, (limit: number) => Comparison>> = {
  '=': (limit) => (value) => value === limit,
  '<': (limit) => (value) => value < limit,
  '<=': (limit) => (value) => value <= limit,
  '>': (limit) => (value) => value > limit,
  '>=': (limit) => (value) => value >= limit,
};

function numericTest(argument: unknown, at: string): Test {
  const parts = Array.isArray(argument) ? argument : [];
  const tests: Comparison[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const build = comparisons[String(parts[index])];
    const limit: unknown = parts[index + 1];
    if (build === undefined || typeof limit !== 'number') throw invalidPattern(`Reason: Bad numeric range at "${at}"`);
    tests.push(build(limit));
  }
  if (tests.length === 0 || tests.length > 2) throw invalidPattern(`Reason: Bad numeric range at "${at}"`);
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

/** A field that is not there does not match: the value must be something else, not nothing. */
function anythingButTest(argument: unknown, at: string): Test {
  const excluded = isObject(argument)
    ? excludedBy(argument, at)
    : oneOf(Array.isArray(argument) ? argument : [argument]);
  return (value) => value !== undefined && !isObject(value) && !excluded(value);
}

function excludedBy(argument: PatternObject, at: string): Test {
  const [operator] = Object.keys(argument);
  if (!['prefix', 'suffix', 'equals-ignore-case', 'wildcard'].includes(operator ?? ''))
    throw invalidPattern(`Reason: Unsupported anything-but pattern ${operator} at "${at}"`);
  const wanted = argument[operator!];
  const tests = (Array.isArray(wanted) ? wanted : [wanted]).map((each) => operators[operator!]!(each, at));
  return (value) => tests.some((test) => test(value));
}

const oneOf =
  (wanted: readonly unknown[]): Test =>
  (value) =>
    wanted.includes(value);

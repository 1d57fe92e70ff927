import { invalidPattern } from './errors.ts';

/** Matches one value of an event: a leaf, or undefined when the field is not there. */
type Test = (value: unknown) => boolean;
/** Matches an object of the event. */
export type EventMatcher = (event: unknown) => boolean;

type PatternObject = Readonly<Record<string, unknown>>;

/**
 * Compiles an event pattern of exact values: EventBridge User Guide, "Creating Amazon EventBridge event patterns".
 * Comparison operators and `$or` are refused.
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
    if (Array.isArray(wanted)) return leafField(name, wanted, at);
    if (isObject(wanted)) return nestedField(name, objectMatcher(wanted, at));
    throw invalidPattern(`Reason: "${at}" must be an object or an array`);
  });
  return (event) => fields.every((field) => field(event));
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
  if (typeof wanted === 'object' && wanted !== null)
    throw invalidPattern(
      `Reason: the embedded cloud models exact values only, not ${JSON.stringify(wanted)} at "${at}"`,
    );
  return (value) => value === wanted;
}

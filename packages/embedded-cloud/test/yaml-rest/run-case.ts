import { isDeepStrictEqual } from 'node:util';
import { buildRequest } from './api-table.ts';
import type { Step, YamlCase } from './load-suite.ts';

/** What a server answered. */
export interface YamlAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface YamlTarget {
  readonly version: string;
  readonly features: readonly string[];
  ask(
    method: string,
    target: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    nodeVersion?: string,
  ): Promise<YamlAnswer>;
}

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

class Mismatch extends Error {}
class Skip extends Error {}

/** Features of the official runner that this one has. */
export const runnerFeatures = [
  'arbitrary_key',
  'stash_in_path',
  'warnings',
  'allowed_warnings',
  'headers',
  'contains',
  'node_selector',
  'yaml',
  'stash_in_key',
  'transform_and_set',
  'default_shards',
  'allowed_warnings_regex',
  'warnings_regex',
  'close_to',
];

/** Runs one case against a server that was wiped before. */
export async function runCase(test: YamlCase, target: YamlTarget): Promise<Outcome> {
  const run = new CaseRun(target);
  try {
    for (const step of [...test.setup, ...test.steps]) await run.step(step);
    return { kind: 'passed' };
  } catch (error) {
    if (error instanceof Skip) return { kind: 'skipped', reason: error.message };
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const step of test.teardown) await run.step(step).catch(() => {});
  }
}

class CaseRun {
  #target: YamlTarget;
  #stash = new Map<string, unknown>();
  #last: YamlAnswer | undefined;
  #head = false;

  constructor(target: YamlTarget) {
    this.#target = target;
  }

  async step(step: Step): Promise<void> {
    for (const [kind, argument] of Object.entries(step)) {
      const act = steps[kind];
      if (act === undefined) throw new Mismatch(`the runner does not know the step ${kind}`);
      await act(this, argument);
    }
  }

  async do(argument: Readonly<Record<string, unknown>>): Promise<void> {
    const {
      catch: expected,
      headers,
      warnings,
      allowed_warnings: allowed,
      node_selector: selector,
      ...calls
    } = argument as Record<string, unknown>;
    const [api, args] = Object.entries(calls)[0] as [string, Record<string, unknown> | null];
    const { method, target, body } = buildRequest(api, this.replace(args ?? {}) as Record<string, unknown>);
    const version = (selector as { version?: string } | undefined)?.version;
    this.#last = await this.#target.ask(method, target, body, (headers ?? {}) as Record<string, string>, version);
    this.#head = method === 'HEAD';
    checkStatus(this.#last, expected === undefined ? undefined : String(this.replace(expected)), method, args?.ignore);
    if (warnings !== undefined) checkWarnings(this.#last, warnings as string[]);
    void allowed;
  }

  /** `$name` is replaced by what was set, also in keys. */
  replace(value: unknown): unknown {
    if (typeof value === 'string') return this.#replaceText(value);
    if (Array.isArray(value)) return value.map((item) => this.replace(item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key.startsWith('$') && key !== '$body' ? String(this.replace(key)) : key,
          this.replace(member),
        ]),
      );
    return value;
  }

  #replaceText(value: string): unknown {
    const whole = /^\$\{?(\w+)\}?$/.exec(value);
    if (whole !== null && this.#stash.has(whole[1]!)) return this.#stash.get(whole[1]!);
    return value.replace(/\$\{(\w+)\}/g, (match, name: string) =>
      this.#stash.has(name) ? String(this.#stash.get(name)) : match,
    );
  }

  /** Follows a path such as `nodes.$id.roles.0`, `_arbitrary_key_`, `a\.b`, `$body` or the empty path. */
  at(path: string): unknown {
    const body = this.#last!.body ?? this.#last!.text;
    if (path === '$body') return body;
    if (path === '') return this.#head ? this.#last!.status < 300 : body;
    return path
      .split(/(?<!\\)\./)
      .reduce<unknown>((value, raw) => this.#member(value, raw.replaceAll('\\.', '.')), body);
  }

  #member(value: unknown, raw: string): unknown {
    if (typeof value !== 'object' || value === null) return undefined;
    if (raw === '_arbitrary_key_') return Object.keys(value)[0];
    const key = raw.startsWith('$') ? String(this.replace(raw)) : raw;
    return (value as Record<string, unknown>)[key];
  }

  set(argument: Readonly<Record<string, string>>): void {
    for (const [path, name] of Object.entries(argument)) this.#stash.set(name, this.at(path));
  }

  get target(): YamlTarget {
    return this.#target;
  }

  get last(): YamlAnswer {
    return this.#last!;
  }
}

type StepRun = (run: CaseRun, argument: unknown) => void | Promise<void>;

const steps: Readonly<Record<string, StepRun>> = {
  do: (run, argument) => run.do(argument as Record<string, unknown>),
  set: (run, argument) => run.set(argument as Record<string, string>),
  skip: (run, argument) =>
    checkSkip(run, argument as { version?: string; features?: string | string[]; reason?: string }),
  match: (run, argument) => each(run, argument, checkMatch),
  is_true: (run, path) =>
    expectThat(isTruthy(run.at(String(path))), `${path} is ${JSON.stringify(run.at(String(path)))}, not true`),
  is_false: (run, path) =>
    expectThat(!isTruthy(run.at(String(path))), `${path} is ${JSON.stringify(run.at(String(path)))}, not false`),
  length: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(lengthOf(actual) === Number(expected), `length of ${path} is ${lengthOf(actual)}, not ${expected}`),
    ),
  gt: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(Number(actual) > Number(expected), `${path} is ${actual}, not above ${expected}`),
    ),
  gte: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(Number(actual) >= Number(expected), `${path} is ${actual}, not at least ${expected}`),
    ),
  lt: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(Number(actual) < Number(expected), `${path} is ${actual}, not below ${expected}`),
    ),
  lte: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(Number(actual) <= Number(expected), `${path} is ${actual}, not at most ${expected}`),
    ),
  contains: (run, argument) =>
    each(run, argument, (actual, expected, path) =>
      expectThat(containsItem(actual, expected), `${path} does not contain ${JSON.stringify(expected)}`),
    ),
};

function each(
  run: CaseRun,
  argument: unknown,
  check: (actual: unknown, expected: unknown, path: string) => void,
): void {
  for (const [path, expected] of Object.entries(argument as Record<string, unknown>))
    check(run.at(path), run.replace(expected), path);
}

function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Mismatch(message);
}

const isTruthy = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && value !== false && value !== 'false' && value !== 0;

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : -1;
}

function containsItem(actual: unknown, expected: unknown): boolean {
  if (typeof actual === 'string') return actual.includes(String(expected));
  if (!Array.isArray(actual)) return false;
  return actual.some(
    (item) =>
      isDeepStrictEqual(item, expected) ||
      (typeof expected === 'object' &&
        expected !== null &&
        Object.entries(expected).every(([key, value]) =>
          isDeepStrictEqual((item as Record<string, unknown>)?.[key], value),
        )),
  );
}

function checkMatch(actual: unknown, expected: unknown, path: string): void {
  const pattern = typeof expected === 'string' ? /^\s*\/([\s\S]*)\/\s*$/.exec(expected) : null;
  if (pattern !== null) {
    const regExp = extendedRegExp(pattern[1]!);
    expectThat(regExp.test(String(actual)), `${path} does not match ${regExp}:\n${String(actual).slice(0, 600)}`);
    return;
  }
  expectThat(sameValue(actual, expected), `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

function sameValue(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'number' && typeof actual === 'number') return actual === expected;
  if (typeof expected !== 'object' || expected === null)
    return (
      actual === expected ||
      (typeof actual === 'string' && typeof expected === 'string' && actual.trim() === expected.trim())
    );
  return isDeepStrictEqual(JSON.parse(JSON.stringify(actual ?? null)), JSON.parse(JSON.stringify(expected)));
}

/** Java's comments mode: white space and `#` comments outside character classes mean nothing. */
export function extendedRegExp(source: string): RegExp {
  let result = '';
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === '\\') result += character + (source[++at] ?? '');
    else if (inClass) {
      if (character === ']') inClass = false;
      result += character;
    } else if (character === '[') {
      inClass = true;
      result += character;
    } else if (character === '#') while (at < source.length && source[at] !== '\n') at++;
    else if (!/\s/.test(character)) result += character;
  }
  // Java's end of input also stands before a last line break.
  return new RegExp(result.replace(/(?<!\\)\$$/, '\\n?$'));
}

const catches: Readonly<Record<string, (status: number) => boolean>> = {
  bad_request: (status) => status === 400,
  unauthorized: (status) => status === 401,
  forbidden: (status) => status === 403,
  missing: (status) => status === 404,
  request_timeout: (status) => status === 408,
  conflict: (status) => status === 409,
  unavailable: (status) => status === 503,
  request: (status) => status >= 400,
  param: () => true,
};

function checkStatus(answer: YamlAnswer, expected: string | undefined, method: string, ignore: unknown): void {
  if (expected === undefined) {
    const ignored = (Array.isArray(ignore) ? ignore : [ignore]).map(Number).includes(answer.status);
    expectThat(
      answer.status < 400 || ignored || (method === 'HEAD' && answer.status === 404),
      `answered ${answer.status}: ${answer.text.slice(0, 400)}`,
    );
    return;
  }
  const pattern = /^\/([\s\S]*)\/$/.exec(expected);
  if (pattern === null) {
    expectThat(
      catches[expected]?.(answer.status) ?? false,
      `answered ${answer.status} instead of ${expected}: ${answer.text.slice(0, 300)}`,
    );
    return;
  }
  expectThat(
    answer.status >= 400 && extendedRegExp(pattern[1]!.replace(/ /g, '\\s')).test(answer.text),
    `error does not match ${expected}: ${answer.status} ${answer.text.slice(0, 300)}`,
  );
}

function checkWarnings(answer: YamlAnswer, expected: readonly string[]): void {
  const header = answer.headers.warning ?? answer.headers.Warning ?? '';
  const found = [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!.replaceAll('\\"', '"'));
  expectThat(
    isDeepStrictEqual([...found].sort(), [...expected].sort()),
    `warnings are ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
  );
}

function checkSkip(
  run: CaseRun,
  { version, features, reason }: { version?: string; features?: string | string[]; reason?: string },
): void {
  const missing = (
    features === undefined ? [] : Array.isArray(features) ? features : features.split(',').map((name) => name.trim())
  ).filter((feature) => !run.target.features.includes(feature));
  if (missing.length > 0) throw new Mismatch(`the runner does not have the features ${missing.join(', ')}`);
  if (version?.split(',').some((range) => inRange(run.target.version, range)))
    throw new Skip(`version ${version}: ${reason ?? ''}`);
}

function inRange(version: string, range: string): boolean {
  if (range.trim() === 'all') return true;
  const dash = / - | -$|^- |^-/.exec(range);
  const [from, to] =
    dash === null ? [range, range] : [range.slice(0, dash.index), range.slice(dash.index + dash[0].length)];
  return (
    (from!.trim() === '' || compareVersions(version, from!) >= 0) &&
    (to!.trim() === '' || compareVersions(version, to!) <= 0)
  );
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.trim().split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < 3; at++) if ((x[at] ?? 0) !== (y[at] ?? 0)) return (x[at] ?? 0) - (y[at] ?? 0);
  return 0;
}

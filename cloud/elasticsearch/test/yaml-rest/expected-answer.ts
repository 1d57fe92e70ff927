import { isDeepStrictEqual } from 'node:util';
import { expectThat } from './mismatch.ts';
import type { YamlAnswer } from './yaml-target.ts';

/** The expectation of a `do` step about the response. */
export interface Expectation {
  readonly catch?: string;
  readonly ignore?: unknown;
  readonly warnings?: unknown;
  readonly warnings_regex?: unknown;
  readonly allowed_warnings?: unknown;
  readonly allowed_warnings_regex?: unknown;
}

const named: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  missing: 404,
  request_timeout: 408,
  conflict: 409,
  unavailable: 503,
};

/** `request` is every error without a name of its own. */
const otherErrors = (status: number) => status >= 400 && ![400, 401, 403, 404, 408, 409].includes(status);

export function checkStatus(answer: YamlAnswer, { catch: expected, ignore }: Expectation, method: string): void {
  const shown = `${answer.status}: ${answer.text.slice(0, 300)}`;
  if (expected === undefined) {
    const ignored = (Array.isArray(ignore) ? ignore : [ignore]).map(Number).includes(answer.status);
    const missingHead = method === 'HEAD' && answer.status === 404;
    expectThat(answer.status < 400 || ignored || missingHead, `returned ${shown}`);
    return;
  }
  const pattern = /^\/([\s\S]*)\/$/.exec(expected);
  if (pattern !== null)
    expectThat(
      answer.status >= 400 && new RegExp(pattern[1]!, 's').test(answer.text),
      `error does not match ${expected}: ${shown}`,
    );
  else
    expectThat(
      expected === 'request' ? otherErrors(answer.status) : answer.status === named[expected],
      `returned ${answer.status} instead of ${expected}: ${shown}`,
    );
}

/** Every warning must be expected or allowed, every expected one must have come. Those about types stand everywhere and count for nothing. */
export function checkWarnings(answer: YamlAnswer, expected: Expectation): void {
  const found = warningsOf(answer);
  const exact = texts(expected.warnings);
  const patterns = texts(expected.warnings_regex).map((source) => new RegExp(source));
  const allowed = texts(expected.allowed_warnings);
  const allowedPatterns = texts(expected.allowed_warnings_regex).map((source) => new RegExp(source));
  const unexpected = found.filter(
    (text) =>
      !text.startsWith('[types removal]') &&
      ![...exact, ...allowed].includes(text) &&
      ![...patterns, ...allowedPatterns].some((regExp) => regExp.test(text)),
  );
  const missing = [
    ...exact.filter((text) => !found.includes(text)),
    ...patterns.filter((regExp) => !found.some((text) => regExp.test(text))).map(String),
  ];
  expectThat(
    isDeepStrictEqual([unexpected, missing], [[], []]),
    `unexpected warnings ${JSON.stringify(unexpected)}, missing warnings ${JSON.stringify(missing)}`,
  );
}

function warningsOf({ headers }: YamlAnswer): string[] {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'warning')?.[1] ?? '';
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!.replaceAll('\\"', '"'));
}

const texts = (value: unknown): string[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((text) => String(text).trim());

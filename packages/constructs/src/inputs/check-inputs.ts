import { TerminalError } from '@drover/core';
import { editDistance } from '@drover/core/edit-distance';
import { camelCase, type Field, type Fields } from './fields.ts';

/** One thing that is wrong with a configuration. */
export interface InputProblem {
  readonly key: string;
  readonly problem: string;
  readonly remedy: string;
}

/** The result of a check of several inputs; undefined: they go together. */
export type Contradiction = InputProblem | undefined;

/** Stops the synthesis; lists every problem of a construct's inputs. */
export class InputError extends TerminalError {
  readonly problems: readonly InputProblem[];

  constructor(title: string, problems: readonly InputProblem[]) {
    const lines = problems.map(({ key, problem, remedy }) => `  ${key}: ${problem}. ${remedy}`);
    super(
      `the configuration of ${title} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Where inputs come from: a file with keys in snake_case, or props in camelCase. Problems use its spelling. */
export interface InputSource {
  /** The construct, and the file if there is one. */
  readonly title: string;
  /** How the source spells the input `key` of the table. */
  key(key: string): string;
  /** How messages call it. */
  name(key: string): string;
}

/** How messages call an input. */
export type NameOf = InputSource['name'];

/** Checks each input by itself; throws an error with every problem. The result has camelCase keys. */
export function checkInputs(
  source: InputSource,
  fields: Fields,
  inputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const problems = unknownKeys(source, fields, inputs);
  for (const [key, field] of Object.entries(fields)) {
    const written = source.key(key);
    const value = Object.hasOwn(inputs, written) ? inputs[written] : undefined;
    const checked = value === undefined ? undefined : field.parse(value);
    if (checked !== undefined) values[camelCase(key)] = ordered(checked);
    else problems.push(...invalidOrMissing(source.name(key), field, value));
  }
  if (problems.length > 0) throw new InputError(source.title, problems);
  return values;
}

/** Keys of maps in their order: some languages of CDK give them in another one each time, and a changed template replaces hosts. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, ordered(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function unknownKeys(source: InputSource, fields: Fields, inputs: Readonly<Record<string, unknown>>): InputProblem[] {
  const names = new Map(Object.keys(fields).map((key) => [source.key(key), source.name(key)]));
  return Object.keys(inputs)
    .filter((key) => !names.has(key))
    .map((key) => ({ key, problem: 'there is no such input', remedy: suggestion(key, names) }));
}

function invalidOrMissing(key: string, field: Field<unknown>, value: unknown): InputProblem[] {
  if (value !== undefined) {
    const orNothing = value === null && field.meaning === undefined ? ', or leave it out' : '';
    return [{ key, problem: `${shown(value)} is not allowed`, remedy: `Give ${field.allowed}${orNothing}` }];
  }
  if (field.meaning === undefined) return [];
  return [{ key, problem: 'it is missing', remedy: `Give ${field.allowed}: ${field.meaning}` }];
}

/** Names the known key that differs only in case or punctuation, or by one or two characters. */
function suggestion(key: string, names: ReadonlyMap<string, string>): string {
  const known = [...names.keys()];
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const near =
    known.find((candidate) => plain(candidate) === plain(key)) ??
    known.find((candidate) => editDistance(candidate, key) === 1) ??
    known.find((candidate) => editDistance(candidate, key) === 2);
  return near === undefined ? 'docs/CONFIGURATION.md lists the inputs' : `Did you mean ${names.get(near)}?`;
}

const longestShown = 100;

/** A value as it was written, shortened. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

import { readFileSync } from 'node:fs';
import { TerminalError } from '@drover/core';
import { parse } from 'yaml';
import { camelCase, type Fields, type PropsOf } from './fields.ts';

/** One thing that is wrong with a configuration. */
export interface InputProblem {
  readonly key: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Synth stops here, with every problem at once. */
export class InputError extends TerminalError {
  readonly problems: readonly InputProblem[];

  constructor(module: string, problems: readonly InputProblem[]) {
    const lines = problems.map(({ key, problem, remedy }) => `  ${key}: ${problem}. ${remedy}`);
    super(
      `the configuration of ${module} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}

/** The problems of a set of inputs; `name` gives the key in the words that the user wrote. */
export function checkInputs(
  fields: Fields,
  inputs: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
): InputProblem[] {
  const known = new Map(Object.keys(fields).map((key) => [name(key), key]));
  const unknown = Object.keys(inputs)
    .filter((key) => !known.has(key))
    .map((key) => ({ key, problem: 'there is no such input', remedy: suggestion(key, [...known.keys()]) }));
  const wrong = Object.entries(fields).flatMap(([key, field]) => {
    const value = inputs[name(key)];
    if (value === undefined)
      return field.required
        ? [{ key: name(key), problem: 'it is missing', remedy: `Give ${field.allowed}: ${field.description}` }]
        : [];
    if (field.parse(value) !== undefined) return [];
    return [{ key: name(key), problem: `${JSON.stringify(value)} is not allowed`, remedy: `Give ${field.allowed}` }];
  });
  return [...unknown, ...wrong];
}

/** Props as the construct takes them, checked. */
export function checkProps<F extends Fields>(
  module: string,
  fields: F,
  props: Readonly<Record<string, unknown>>,
): PropsOf<F> {
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const problems = checkInputs(fields, given, camelCase);
  if (problems.length > 0) throw new InputError(module, problems);
  return given as PropsOf<F>;
}

/** Reads a YAML or JSON file whose keys are the specification's names. */
export function readInputs<F extends Fields>(module: string, fields: F, file: string): PropsOf<F> {
  const inputs = parseFile(module, file);
  const problems = checkInputs(fields, inputs, (key) => key);
  if (problems.length > 0) throw new InputError(`${module} (${file})`, problems);
  return Object.fromEntries(Object.entries(inputs).map(([key, value]) => [camelCase(key), value])) as PropsOf<F>;
}

function parseFile(module: string, file: string): Record<string, unknown> {
  let inputs: unknown;
  try {
    inputs = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new TerminalError(`${file} cannot be read as the configuration of ${module}`, { cause: error });
  }
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs))
    throw new TerminalError(`${file} is not a map of inputs`, { remedy: 'write one `key: value` a line' });
  return inputs as Record<string, unknown>;
}

/** Names the nearest known key when a key looks like a slip of the pen. */
function suggestion(key: string, known: readonly string[]): string {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const near =
    known.find((candidate) => plain(candidate) === plain(key)) ??
    known.find((candidate) => distance(candidate, key) <= 2);
  return near === undefined ? 'docs/CONFIGURATION.md lists the inputs' : `Did you mean ${near}?`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}

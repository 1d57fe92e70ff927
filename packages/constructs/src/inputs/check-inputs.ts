import { TerminalError } from '@drover/core';
import { camelCase, type Field, type Fields, type PropsOf } from './fields.ts';
import { readMap } from './read-map.ts';
import { suggestion } from './suggestion.ts';

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

/** In whose words problems are told: those of the file, or those of the props. */
export interface Words {
  /** The module, and the file if there is one. */
  readonly module: string;
  /** How the user writes the input that the specification calls `key`. */
  name(key: string): string;
}

export const propWords = (module: string): Words => ({ module, name: camelCase });
export const fileWords = (module: string, file: string): Words => ({
  module: `${module} (${file})`,
  name: (key) => key,
});

/** Props as the construct takes them, checked. */
export function checkProps<F extends Fields>(
  module: string,
  fields: F,
  props: Readonly<Record<string, unknown>>,
): PropsOf<F> {
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  return check(propWords(module), fields, given);
}

/** Reads a YAML or JSON file whose keys are the specification's names. */
export function readInputs<F extends Fields>(module: string, fields: F, file: string): PropsOf<F> {
  const words = fileWords(module, file);
  const map = readMap(file);
  if ('problem' in map) throw new InputError(module, [{ key: file, ...map }]);
  return check(words, fields, map.inputs);
}

function check<F extends Fields>(words: Words, fields: F, inputs: Readonly<Record<string, unknown>>): PropsOf<F> {
  const values: Record<string, unknown> = {};
  const problems = unknownKeys(words, fields, inputs);
  for (const [key, field] of Object.entries(fields)) {
    const name = words.name(key);
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    const checked = value === undefined ? undefined : field.parse(value);
    if (checked !== undefined) values[camelCase(key)] = checked;
    else problems.push(...wrong(name, field, value));
  }
  if (problems.length > 0) throw new InputError(words.module, problems);
  return values as PropsOf<F>;
}

function unknownKeys(words: Words, fields: Fields, inputs: Readonly<Record<string, unknown>>): InputProblem[] {
  const known = Object.keys(fields).map((key) => words.name(key));
  return Object.keys(inputs)
    .filter((key) => !known.includes(key))
    .map((key) => ({ key, problem: 'there is no such input', remedy: suggestion(key, known) }));
}

function wrong(key: string, field: Field<unknown>, value: unknown): InputProblem[] {
  if (value !== undefined) {
    const orNothing = value === null && !field.required ? ', or leave it out' : '';
    return [{ key, problem: `${shown(value)} is not allowed`, remedy: `Give ${field.allowed}${orNothing}` }];
  }
  if (!field.required) return [];
  return [{ key, problem: 'it is missing', remedy: `Give ${field.allowed}: ${field.description}` }];
}

const longestShown = 100;

/** A value as it was written, shortened. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

import { validationError } from '../errors.ts';
import { type ParameterConstraintFailure, violatedConstraint } from './parameter-constraints.ts';
import type { ParameterDeclaration, Template } from './template.ts';

/** A parameter's value in a stack. */
export interface ParameterValue {
  readonly name: string;
  /** As given, for an SSM type the name of the stored parameter. */
  readonly given: string;
  /** The result of `Ref`. */
  readonly value: string | readonly string[];
  /** Only for SSM types: the stored value as shown by DescribeStacks. */
  readonly stored?: string;
  readonly hidden: boolean;
}

/** A parameter as a request carries it. */
export interface GivenParameter {
  readonly ParameterKey?: string;
  readonly ParameterValue?: string;
  readonly UsePreviousValue?: boolean;
}

interface ParameterSources {
  readonly given: readonly GivenParameter[];
  /** Values of the stack that is updated. */
  readonly previous?: ReadonlyMap<string, ParameterValue>;
  /** The value of a stored SSM parameter. */
  stored(name: string): string | undefined;
}

/** The values of all parameters of a template, checked against their constraints. */
export function resolveParameters(template: Template, sources: ParameterSources): Map<string, ParameterValue> {
  const unknown = sources.given.map((each) => each.ParameterKey ?? '').filter((key) => !(key in template.Parameters));
  if (unknown.length > 0) throw validationError(`Parameters: [${unknown.join(', ')}] do not exist in the template`);
  const texts = Object.entries(template.Parameters).map(([name, declaration]) => ({
    name,
    declaration,
    text: givenText(name, declaration, sources),
  }));
  const missing = texts.filter(({ text }) => text === undefined).map(({ name }) => name);
  if (missing.length > 0) throw validationError(`Parameters: [${missing.join(', ')}] must have values`);
  const values = texts.map(({ name, declaration, text }) => toValue(name, declaration, text!, sources));
  return new Map(values.map((value) => [value.name, value]));
}

function givenText(name: string, declaration: ParameterDeclaration, sources: ParameterSources): string | undefined {
  const given = sources.given.find((each) => each.ParameterKey === name);
  if (given?.UsePreviousValue === true) {
    if (given.ParameterValue !== undefined)
      throw validationError(
        `Invalid input for parameter key ${name}. Cannot specify usePreviousValue as true and non empty value for a parameter`,
      );
    const previous = sources.previous?.get(name);
    if (previous === undefined)
      throw validationError(
        `Invalid input for parameter key ${name}. Cannot specify usePreviousValue as true for a parameter key not in the previous template`,
      );
    return previous.given;
  }
  if (given?.ParameterValue !== undefined) return given.ParameterValue;
  return declaration.Default === undefined ? undefined : String(declaration.Default);
}

const storedType = /^AWS::SSM::Parameter::Value<(.+)>$/;

function toValue(
  name: string,
  declaration: ParameterDeclaration,
  given: string,
  sources: ParameterSources,
): ParameterValue {
  const failure = violatedConstraint(name, declaration, given);
  if (failure !== undefined) throw constraintError(name, declaration, failure);
  const hidden = declaration.NoEcho === true || declaration.NoEcho === 'true';
  const inner = storedType.exec(declaration.Type)?.[1];
  if (inner === undefined) {
    if (declaration.Type === 'AWS::SSM::Parameter::Name') readStored(given, sources);
    return { name, given, value: listOrText(declaration.Type, given), hidden };
  }
  const stored = readStored(given, sources);
  return { name, given, value: listOrText(inner, stored), stored, hidden };
}

function readStored(name: string, sources: ParameterSources): string {
  const stored = sources.stored(name);
  if (stored === undefined)
    throw validationError(`Unable to fetch parameters [${name}] from parameter store for this account.`);
  return stored;
}

const listOrText = (type: string, text: string): string | readonly string[] =>
  type === 'CommaDelimitedList' || type.startsWith('List<') ? text.split(',').map((each) => each.trim()) : text;

/** A ConstraintDescription is shown to the user instead of the rule. */
const constraintError = (name: string, declaration: ParameterDeclaration, failure: ParameterConstraintFailure) =>
  validationError(
    declaration.ConstraintDescription === undefined
      ? `Parameter '${name}' ${failure}`
      : `Parameter '${name}' failed to satisfy constraint: ${declaration.ConstraintDescription}`,
  );

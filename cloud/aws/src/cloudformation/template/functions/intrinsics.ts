import { templateError } from '../../errors.ts';
import { isObject, type TemplateObject, type TemplateValue } from '../template.ts';
import type { Intrinsic, Resolved, Resolver, Scope } from './scope.ts';

/** Condition functions belong in Conditions and Rules; there `evaluateCondition` carries them out. */
const onlyInConditions =
  (name: string): Intrinsic =>
  () => {
    throw templateError(`${name} can be used only in the Conditions and Rules sections`);
  };

/** User Guide, "Intrinsic function reference". */
export const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => ref(String(argument), scope),
  'Fn::Base64': (argument, _scope, resolve) => Buffer.from(scalar('Fn::Base64', resolve(argument))).toString('base64'),
  'Fn::FindInMap': findInMap,
  'Fn::GetAtt': getAttribute,
  'Fn::GetAZs': zones,
  'Fn::If': choose,
  'Fn::ImportValue': (argument, scope, resolve) => scope.importValue(scalar('Fn::ImportValue', resolve(argument))),
  'Fn::Join': join,
  'Fn::Select': select,
  'Fn::Split': split,
  'Fn::Sub': substitute,
  'Fn::Transform': (argument) => {
    const name = isObject(argument) ? String(argument.Name) : String(argument);
    throw templateError(`the embedded cloud runs no macros: Fn::Transform ${name}`);
  },
  'Fn::And': onlyInConditions('Fn::And'),
  'Fn::Equals': onlyInConditions('Fn::Equals'),
  'Fn::Not': onlyInConditions('Fn::Not'),
  'Fn::Or': onlyInConditions('Fn::Or'),
};

function ref(name: string, scope: Scope): Resolved {
  if (name in scope.pseudo) return scope.pseudo[name];
  const parameter = scope.parameters.get(name);
  if (parameter === undefined) return scope.ref(name);
  return typeof parameter.value === 'string' ? parameter.value : [...parameter.value];
}

function getAttribute(argument: TemplateValue, scope: Scope, resolve: Resolver): Resolved {
  const [id, ...rest] = typeof argument === 'string' ? argument.split('.') : (argument as readonly TemplateValue[]);
  const attribute = rest.map((part) => String(resolve(part))).join('.');
  if (typeof id !== 'string' || attribute === '')
    throw templateError(
      'every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource attribute',
    );
  return scope.attribute(id, attribute);
}

function findInMap(argument: TemplateValue, scope: Scope, resolve: Resolver): Resolved {
  const parts = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [];
  if (parts.length < 3 || parts.length > 4)
    throw templateError(
      'every Fn::FindInMap object requires three parameters, the map name, map key and the attribute for return value',
    );
  const [map, first, second] = parts.slice(0, 3).map((part) => String(resolve(part)));
  const found = scope.template.Mappings[map!]?.[first!]?.[second!];
  if (found !== undefined) return resolve(found);
  const fallback = parts[3];
  if (isObject(fallback) && fallback.DefaultValue !== undefined) return resolve(fallback.DefaultValue);
  throw templateError(`Unable to get mapping for ${map}::${first}::${second}`);
}

function zones(argument: TemplateValue, scope: Scope, resolve: Resolver): Resolved {
  const region = resolve(argument);
  if (region !== '' && region !== scope.region)
    throw templateError(`Fn::GetAZs: the embedded cloud has only the region ${scope.region}, not ${String(region)}`);
  return [...scope.zones];
}

function choose(argument: TemplateValue, scope: Scope, resolve: Resolver): Resolved {
  const parts = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [];
  const [name, whenTrue, whenFalse] = parts;
  if (parts.length !== 3 || typeof name !== 'string')
    throw templateError('Fn::If requires a list argument with three parameters: a condition name and two values');
  return resolve(scope.condition(name) ? whenTrue! : whenFalse!);
}

function join(argument: TemplateValue, _scope: Scope, resolve: Resolver): Resolved {
  const parts = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [];
  const [delimiter, values] = parts.map((part) => resolve(part));
  if (parts.length !== 2 || typeof delimiter !== 'string' || !Array.isArray(values))
    throw templateError(
      'every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings to be joined or a function that returns a list of strings (such as Fn::GetAZs) to be joined.',
    );
  return values.map((value) => scalar('Fn::Join', value)).join(delimiter);
}

function select(argument: TemplateValue, _scope: Scope, resolve: Resolver): Resolved {
  const [index, values] = listOf('Fn::Select', resolve(argument));
  const at = Number(index);
  if (!Array.isArray(values) || !Number.isInteger(at))
    throw templateError('Fn::Select requires a list argument with two elements: an integer index and a list');
  if (at < 0 || at >= values.length) throw templateError(`Fn::Select cannot select nonexistent value at index ${at}`);
  return values[at];
}

function split(argument: TemplateValue, _scope: Scope, resolve: Resolver): Resolved {
  const [delimiter, text] = listOf('Fn::Split', resolve(argument));
  if (typeof delimiter !== 'string' || delimiter === '' || typeof text !== 'string')
    throw templateError(
      'every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be split',
    );
  return text.split(delimiter);
}

/** `${Name}`, `${Name.Attribute}`, and `${!Literal}` which loses its exclamation mark. */
function substitute(argument: TemplateValue, scope: Scope, resolve: Resolver): Resolved {
  const [text, variables] = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [argument, {}];
  if (typeof text !== 'string' || !isObject(variables))
    throw templateError(
      "One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as first argument, and an optional second argument to specify a mapping of values to replace in the string",
    );
  return text.replace(/\$\{([^}]*)\}/g, (_whole, inner: string) => substituted(inner, variables, scope, resolve));
}

function substituted(inner: string, variables: TemplateObject, scope: Scope, resolve: Resolver): string {
  if (inner.startsWith('!')) return `\${${inner.slice(1)}}`;
  const name = inner.trim();
  const value =
    name in variables
      ? resolve(variables[name]!)
      : name.includes('.')
        ? getAttribute(name, scope, resolve)
        : ref(name, scope);
  return scalar(`variable ${name} in Fn::Sub expression`, value);
}

/** A value that can stand in text. */
function scalar(where: string, value: Resolved): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw templateError(`${where} does not resolve to a string`);
}

function listOf(name: string, values: Resolved): Resolved[] {
  if (!Array.isArray(values)) throw templateError(`${name} requires a list argument`);
  return values;
}

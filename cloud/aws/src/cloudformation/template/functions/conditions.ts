import { templateError, templateFormatError } from '../../errors.ts';
import { asFunction, type Template, type TemplateValue } from '../template.ts';
import { resolve } from './resolve.ts';
import type { Resolved, Scope } from './scope.ts';

type ConditionScope = Omit<Scope, 'condition'>;
type ConditionFunction = (
  argument: TemplateValue,
  evaluate: (value: TemplateValue) => boolean,
  scope: Scope,
) => boolean;

/** Evaluates each condition of a template once, when it is first asked for. */
export function conditionsOf(template: Template, scope: ConditionScope): (name: string) => boolean {
  const known = new Map<string, boolean | 'in progress'>();
  const condition = (name: string): boolean => {
    const declared = template.Conditions[name];
    if (declared === undefined)
      throw templateFormatError(`Unresolved condition dependency ${name} in the Conditions block of the template`);
    const value = known.get(name);
    if (value === 'in progress') throw templateFormatError(`Circular dependencies in condition ${name}`);
    if (value !== undefined) return value;
    known.set(name, 'in progress');
    const result = evaluateCondition(declared, { ...scope, condition });
    known.set(name, result);
    return result;
  };
  return condition;
}

/** The truth of a condition function. */
export function evaluateCondition(value: TemplateValue, scope: Scope): boolean {
  const called = asFunction(value);
  const evaluate = (inner: TemplateValue) => evaluateCondition(inner, scope);
  const conditionFunction = called === undefined ? undefined : conditionFunctions[called.name];
  if (conditionFunction !== undefined) return conditionFunction(called!.argument, evaluate, scope);
  const resolved = called === undefined ? value : resolve(value, scope);
  if (resolved === true || resolved === 'true') return true;
  if (resolved === false || resolved === 'false') return false;
  throw templateFormatError(`Every Condition member must be a boolean function; found ${JSON.stringify(value)}`);
}

/** User Guide, "Condition functions" and "Rule-specific intrinsic functions". */
const conditionFunctions: Readonly<Record<string, ConditionFunction>> = {
  Condition: (argument, _evaluate, scope) => scope.condition(String(argument)),
  'Fn::And': (argument, evaluate) => several('Fn::And', argument).every(evaluate),
  'Fn::Or': (argument, evaluate) => several('Fn::Or', argument).some(evaluate),
  'Fn::Not': (argument, evaluate) => {
    const parts = listed(argument);
    if (parts.length !== 1) throw templateError('Fn::Not requires a list argument with exactly one condition');
    return !evaluate(parts[0]!);
  },
  'Fn::Equals': (argument, _evaluate, scope) => {
    const parts = listed(argument).map((part) => resolve(part, scope));
    if (parts.length !== 2) throw templateError('Fn::Equals requires a list argument with two parameters');
    return same(parts[0], parts[1]);
  },
  'Fn::Contains': (argument, _evaluate, scope) => {
    const [values, wanted] = listed(argument).map((part) => resolve(part, scope));
    return asList(values).some((value) => same(value, wanted));
  },
  'Fn::EachMemberEquals': (argument, _evaluate, scope) => {
    const [values, wanted] = listed(argument).map((part) => resolve(part, scope));
    return asList(values).every((value) => same(value, wanted));
  },
  'Fn::EachMemberIn': (argument, _evaluate, scope) => {
    const [values, allowed] = listed(argument).map((part) => resolve(part, scope));
    return asList(values).every((value) => asList(allowed).some((each) => same(value, each)));
  },
};

const listed = (argument: TemplateValue): readonly TemplateValue[] => (Array.isArray(argument) ? argument : []);

const asList = (value: Resolved): Resolved[] => (Array.isArray(value) ? value : [value]);

/** Everything in a template is text to CloudFormation: 1 equals "1". */
const same = (a: Resolved, b: Resolved) =>
  typeof a === 'object' || typeof b === 'object' ? JSON.stringify(a) === JSON.stringify(b) : String(a) === String(b);

function several(name: string, argument: TemplateValue): readonly TemplateValue[] {
  const parts = listed(argument);
  if (parts.length < 2 || parts.length > 10) throw templateError(`${name} requires 2 to 10 conditions`);
  return parts;
}

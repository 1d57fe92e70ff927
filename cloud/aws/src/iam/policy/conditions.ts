import { refuseConditionKey } from './condition-keys.ts';
import { type RequestContext, timeKeys } from './context.ts';
import { type ConditionOperator, conditionOperators } from './operators.ts';
import { type VariableText, variableText } from './variables.ts';

/** One line of a Condition block: an operator, a key and the values that it is compared with. */
export interface Condition {
  /** Whether the result changes with time alone. */
  readonly timed: boolean;
  /** The condition keys that it reads. */
  readonly keys: readonly string[];
  holds(context: RequestContext): boolean;
}

type Refuse = (why: string) => never;

const operatorForm = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/;

/** Compiles a Condition block; every line must hold. Unknown operators and keys are refused, never ignored. */
export function compileConditions(block: unknown, withVariables: boolean, refuse: Refuse): Condition[] {
  if (block === undefined) return [];
  if (typeof block !== 'object' || block === null || Array.isArray(block)) refuse('Condition must be an object');
  return Object.entries(block as object).flatMap(([operator, lines]) => {
    if (typeof lines !== 'object' || lines === null || Array.isArray(lines))
      refuse(`Condition operator ${operator} must hold an object of keys`);
    return Object.entries(lines as object).map(([key, values]) =>
      compileLine(operator, key, wantedValues(key, values, refuse), withVariables, refuse),
    );
  });
}

function wantedValues(key: string, values: unknown, refuse: Refuse): string[] {
  const list = Array.isArray(values) ? values : [values];
  for (const value of list)
    if (!['string', 'number', 'boolean'].includes(typeof value))
      refuse(`condition key ${key} must be compared with text, numbers or booleans`);
  return list.map(String);
}

function compileLine(operatorName: string, key: string, wanted: string[], withVariables: boolean, refuse: Refuse) {
  const refusal = refuseConditionKey(key);
  if (refusal !== undefined) refuse(refusal);
  const [, set, base, ifExists] = operatorForm.exec(operatorName) ?? [];
  const timed = timeKeys.has(key.toLowerCase());
  if (base === 'Null' && set === undefined && ifExists === undefined)
    return { timed, keys: [key], ...nullCondition(key, wanted) };
  const operator = base === undefined ? undefined : conditionOperators.get(base);
  if (operator === undefined) return refuse(`condition operator ${operatorName} is not known`);
  for (const value of wanted) checkValue(operator, operatorName, value, refuse);
  const texts = wanted.map((value) => variableText(value, withVariables && operator.variables, refuse));
  const keys = [key, ...texts.flatMap((text) => text.keys)];
  return { timed, keys, holds: lineHolds(operator, key, texts, set, ifExists !== undefined) };
}

function checkValue(operator: ConditionOperator, operatorName: string, value: string, refuse: Refuse): void {
  try {
    operator.check(value);
  } catch (error) {
    refuse(`condition operator ${operatorName}: ${(error as Error).message}`);
  }
}

/** `Null: true` holds when the key is absent, `false` when it is present. */
const nullCondition = (key: string, wanted: readonly string[]) => ({
  holds: (context: RequestContext) => wanted.includes(String(context.get(key) === undefined)),
});

/**
 * Missing keys: `…IfExists` and ForAllValues hold, ForAnyValue does not, a negated operator holds, any other does not.
 * See "Multivalued context keys" and "…IfExists condition operators", IAM user guide.
 */
function lineHolds(
  operator: ConditionOperator,
  key: string,
  texts: readonly VariableText[],
  set: string | undefined,
  ifExists: boolean,
): Condition['holds'] {
  return (context) => {
    const values = context.get(key);
    if (values === undefined && ifExists) return true;
    if (values === undefined || values.length === 0)
      return set === undefined ? operator.negated : set === 'ForAllValues';
    const passes = (value: string) =>
      texts.some((text) => matches(operator, value, text, context)) !== operator.negated;
    if (set === 'ForAnyValue') return values.some(passes);
    if (set === 'ForAllValues' || operator.negated) return values.every(passes);
    return values.some(passes);
  };
}

function matches(operator: ConditionOperator, value: string, text: VariableText, context: RequestContext): boolean {
  const wantedPattern = text.resolve(context);
  const wanted = text.text(context);
  return wantedPattern !== undefined && wanted !== undefined && operator.matches(value, wanted, wantedPattern);
}

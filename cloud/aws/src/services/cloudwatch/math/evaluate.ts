import { validation } from '../model.ts';
import type { Expression } from './parse.ts';

/** One value per moment, oldest first; undefined where there is no data. */
export type Points = readonly (number | undefined)[];
export type Value = number | Points | readonly Points[];

/** The names that an expression may refer to. */
export interface MathScope {
  /** Values of the other expressions and metrics, by id. */
  value(id: string): Value;
  /** Ids of the metrics (not expressions) of the request, in order. */
  readonly metricIds: readonly string[];
  /** Text by which `METRICS("…")` finds a metric. */
  label(id: string): string;
  readonly length: number;
  readonly periodSeconds: number;
}

const isList = (value: Value): value is readonly Points[] => typeof value !== 'number' && Array.isArray(value[0]);
const isPoints = (value: Value): value is Points => typeof value !== 'number' && !isList(value);

/** Computes an expression. SEARCH and the functions that are not listed here are refused. (CloudWatch User Guide, "Using metric math".) */
export function evaluate(expression: Expression, scope: MathScope): Value {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'name':
      return scope.value(expression.name);
    case 'negate':
      return combine(0, evaluate(expression.of, scope), (a, b) => a - b);
    case 'list':
      return expression.items.flatMap((item) => asList(evaluate(item, scope), scope.length));
    case 'binary':
      return binary(expression.operator, evaluate(expression.left, scope), evaluate(expression.right, scope));
    case 'call':
      return call(expression.name, expression.args, scope);
    case 'text':
      throw validation('Error in expression: a string is only allowed as an argument of METRICS');
  }
}

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  AND: (a, b) => Number(a !== 0 && b !== 0),
  '&&': (a, b) => Number(a !== 0 && b !== 0),
  OR: (a, b) => Number(a !== 0 || b !== 0),
  '||': (a, b) => Number(a !== 0 || b !== 0),
};

const binary = (operator: string, left: Value, right: Value) => combine(left, right, operators[operator]!);

/** Moment by moment; where one side has no data, or the result is no number, there is none. */
function combine(left: Value, right: Value, act: (a: number, b: number) => number): Value {
  if (typeof left === 'number' && typeof right === 'number') return act(left, right);
  if (isList(left)) return left.map((points) => combine(points, right, act) as Points);
  if (isList(right)) return right.map((points) => combine(left, points, act) as Points);
  const length = typeof left === 'number' ? (right as Points).length : left.length;
  return Array.from({ length }, (_, index) => {
    const [a, b] = [at(left, index), at(right, index)];
    return a === undefined || b === undefined ? undefined : finite(act(a, b));
  });
}

const at = (value: number | Points, index: number) => (typeof value === 'number' ? value : value[index]);
const finite = (value: number) => (Number.isFinite(value) ? value : undefined);
const asList = (value: Value, length: number): readonly Points[] =>
  typeof value === 'number' ? [new Array<number>(length).fill(value)] : isList(value) ? value : [value];

const aggregates: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: (values) => values.reduce((sum, value) => sum + value, 0),
  AVG: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  MIN: (values) => Math.min(...values),
  MAX: (values) => Math.max(...values),
};
const singles: Readonly<Record<string, (value: number) => number>> = {
  ABS: Math.abs,
  CEIL: Math.ceil,
  FLOOR: Math.floor,
};

function call(name: string, args: readonly Expression[], scope: MathScope): Value {
  if (name === 'METRICS') return metrics(args, scope);
  if (name === 'FILL') return fill(args, scope);
  if (name === 'IF')
    return conditional(
      args.map((arg) => evaluate(arg, scope)),
      scope.length,
    );
  if (name === 'PERIOD') return scope.periodSeconds;
  const aggregate = aggregates[name];
  if (aggregate !== undefined)
    return aggregated(
      aggregate,
      args.map((arg) => evaluate(arg, scope)),
    );
  const single = singles[name];
  if (single !== undefined) return combine(evaluate(one(name, args), scope), 0, (a) => single(a));
  throw validation(`Error in expression: the embedded cloud does not model the function ${name}`);
}

function one(name: string, args: readonly Expression[]): Expression {
  if (args.length !== 1) throw validation(`Error in expression: ${name} takes one argument`);
  return args[0]!;
}

function metrics(args: readonly Expression[], scope: MathScope): readonly Points[] {
  const [part] = args;
  const wanted = part?.kind === 'text' ? part.value : '';
  const ids = scope.metricIds.filter((id) => id.includes(wanted) || scope.label(id).includes(wanted));
  return ids.flatMap((id) => asList(scope.value(id), scope.length));
}

/** Over an array: moment by moment. Over one metric: a single number. */
function aggregated(act: (values: readonly number[]) => number, args: readonly Value[]): Value {
  const [only] = args;
  if (args.length === 1 && only !== undefined && isPoints(only)) {
    const present = only.filter((value) => value !== undefined);
    return present.length === 0 ? only.map(() => undefined) : act(present);
  }
  const length = Math.max(
    ...args.map((arg) => (typeof arg === 'number' ? 0 : isList(arg) ? (arg[0]?.length ?? 0) : arg.length)),
  );
  const lists = args.flatMap((arg) => asList(arg, length));
  return Array.from({ length }, (_, index) => {
    const present = lists.map((points) => points[index]).filter((value) => value !== undefined);
    return present.length === 0 ? undefined : act(present);
  });
}

function fill([of, filler]: readonly Expression[], scope: MathScope): Value {
  if (of === undefined || filler === undefined) throw validation('Error in expression: FILL takes two arguments');
  const value = evaluate(of, scope);
  if (typeof value === 'number') return value;
  const repeat = filler.kind === 'name' && filler.name.toUpperCase() === 'REPEAT';
  if (!repeat && filler.kind === 'name' && filler.name.toUpperCase() === 'LINEAR')
    throw validation('Error in expression: the embedded cloud does not model FILL(…, LINEAR)');
  const by = repeat ? undefined : evaluate(filler, scope);
  const filled = (points: Points): Points => {
    let last: number | undefined;
    return points.map((point, index) => {
      if (point !== undefined) last = point;
      return point ?? (repeat ? last : at(by as number | Points, index));
    });
  };
  return isList(value) ? value.map(filled) : filled(value);
}

/** `IF(condition, a, b)`; without `b` there is no data where the condition does not hold. */
function conditional([condition, then, otherwise]: readonly Value[], length: number): Value {
  if (condition === undefined || then === undefined)
    throw validation('Error in expression: IF takes two or three arguments');
  const [test] = asList(condition, length);
  const [yes] = asList(then, length);
  const no = otherwise === undefined ? undefined : asList(otherwise, length)[0];
  return Array.from({ length }, (_, index) => {
    const holds = test?.[index];
    if (holds === undefined) return undefined;
    return holds !== 0 ? yes?.[index] : no?.[index];
  });
}

import { templateError } from '../../errors.ts';
import { asFunction, type TemplateValue } from '../template.ts';
import { intrinsics } from './intrinsics.ts';
import type { Resolved, Scope } from './scope.ts';

/** A value with every intrinsic function carried out. Members that come to `AWS::NoValue` are left out. */
export function resolve(value: TemplateValue, scope: Scope): Resolved {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => resolve(each, scope)).filter((each) => each !== undefined);
  const called = asFunction(value);
  if (called !== undefined && called.name !== 'Condition') return call(called.name, called.argument, scope);
  const entries = Object.entries(value).map(([key, each]) => [key, resolve(each, scope)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

function call(name: string, argument: TemplateValue, scope: Scope): Resolved {
  const intrinsic = intrinsics[name];
  if (intrinsic === undefined) throw templateError(`the function ${name} is not known`);
  return intrinsic(argument, scope, (inner) => resolve(inner, scope));
}

import { type ArnScope, arn } from '../../account/arn.ts';
import { functionNotFound } from './errors.ts';
import { type FunctionSettings, type LambdaFunction, latest } from './model.ts';

/** A function as a request names it. Published versions and aliases are not modelled: there is only `$LATEST`. */
export interface Selected {
  readonly fn: LambdaFunction;
  readonly settings: FunctionSettings;
  /** As given: `$LATEST` or undefined. */
  readonly qualifier: string | undefined;
}

/** All functions of the account, by name. */
export class Functions {
  readonly all = new Map<string, LambdaFunction>();
  readonly scope: ArnScope;

  constructor(scope: ArnScope) {
    this.scope = scope;
  }

  arnOf(name: string): string {
    return arn(this.scope, 'lambda', `function:${name}`);
  }

  /** Name, `name:qualifier`, `account:function:name` or a full ARN, each with or without qualifier. */
  parse(id: string | undefined): { name: string; qualifier: string | undefined } {
    const [, name = id ?? '', qualifier] =
      /^(?:(?:arn:[^:]+:lambda:[^:]*:)?[^:]*:function:)?([^:]+)(?::(.+))?$/.exec(id ?? '') ?? [];
    return { name, qualifier };
  }

  get(id: string | undefined): LambdaFunction {
    const { name } = this.parse(id);
    const found = this.all.get(name);
    if (found === undefined) throw functionNotFound(this.arnOf(name));
    return found;
  }

  select(id: string | undefined, explicit?: string): Selected {
    const fn = this.get(id);
    const qualifier = explicit ?? this.parse(id).qualifier;
    if (qualifier !== undefined && qualifier !== latest) throw functionNotFound(`${fn.arn}:${qualifier}`);
    return { fn, settings: fn.settings, qualifier };
  }
}

import { type ArnScope, arn } from '../../account/arn.ts';
import { functionNotFound } from './errors.ts';
import { type FunctionSettings, type LambdaFunction, latest } from './model.ts';

/** A function with the version that a request means. */
export interface Selected {
  readonly fn: LambdaFunction;
  readonly settings: FunctionSettings;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** As given: a version, an alias, or undefined. */
  readonly qualifier: string | undefined;
  readonly qualifiedArn: string;
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
    const version = this.#version(fn, qualifier);
    const settings = version === latest ? fn.settings : fn.versions.get(version);
    if (settings === undefined) throw functionNotFound(`${fn.arn}:${qualifier}`);
    return { fn, settings, version, qualifier, qualifiedArn: `${fn.arn}:${qualifier ?? latest}` };
  }

  #version(fn: LambdaFunction, qualifier: string | undefined): string {
    return qualifier === undefined ? latest : (fn.aliases.get(qualifier)?.version ?? qualifier);
  }
}

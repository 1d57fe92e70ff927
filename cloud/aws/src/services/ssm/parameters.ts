import { AwsError, notImplemented } from '../../account/errors.ts';

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly dataType: string;
  readonly version: number;
  readonly changedAt: number;
}

/** Parameters of templates, and those that AWS and the bootstrap of the CDK publish. */
export class Parameters {
  readonly all = new Map<string, Parameter>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  put(name: string, value: string, type = 'String', dataType = 'text'): number {
    const version = (this.all.get(name)?.version ?? 0) + 1;
    this.all.set(name, { name, type, value, dataType, version, changedAt: this.#now() });
    return version;
  }

  /** By name or ARN, also with the number of the current version. */
  find(selector: string): Parameter | undefined {
    const [, named = selector, version] = /^(.*?)(?::(\d+))?$/.exec(selector) ?? [];
    // An ARN has no room for the slash that a name in a hierarchy begins with.
    const [, path] = /^arn:[^:]+:ssm:[^:]*:\d{12}:parameter\/(.+)$/.exec(named) ?? [];
    const found = this.all.get(path === undefined ? named : `/${path}`) ?? this.all.get(path ?? named);
    if (found !== undefined && version !== undefined && Number(version) < found.version)
      throw notImplemented('ssm', 'earlier versions of parameters');
    return version === undefined || Number(version) === found?.version ? found : undefined;
  }

  get(selector: string): Parameter {
    if (selector.startsWith('/aws/reference/secretsmanager/'))
      throw notImplemented('ssm', 'parameters that refer to Secrets Manager');
    const found = this.find(selector);
    if (found === undefined) throw new AwsError('ParameterNotFound', '');
    return found;
  }
}

import { AwsError, notImplemented } from '../../account/errors.ts';

interface StoredParameter {
  readonly name: string;
  type: 'String' | 'StringList' | 'SecureString';
  tags: Record<string, string>;
  /** Oldest first; the last one is current. */
  versions: { readonly version: number; readonly value: string; readonly changedAt: number }[];
}

/** Versions of a parameter that are kept. (User Guide, "Working with parameter versions".) */
const keptVersions = 100;

/** Parameter Store. */
export class Parameters {
  readonly all = new Map<string, StoredParameter>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  put(name: string, value: string, settings: Partial<Omit<StoredParameter, 'name' | 'versions'>> = {}): number {
    const before = this.all.get(name);
    const parameter: StoredParameter = before ?? {
      name,
      type: 'String',
      tags: {},
      versions: [],
    };
    for (const [key, setting] of Object.entries(settings))
      if (setting !== undefined) Object.assign(parameter, { [key]: setting });
    const version = (parameter.versions.at(-1)?.version ?? 0) + 1;
    parameter.versions.push({ version, value, changedAt: this.#now() });
    if (parameter.versions.length > keptVersions) parameter.versions.shift();
    this.all.set(name, parameter);
    return version;
  }

  /** By name, or `name:version`. */
  find(selector: string) {
    const [, named = selector, version] = /^(.*?)(?::(\d+))?$/.exec(selector) ?? [];
    // An ARN has no room for the slash that a name in a hierarchy begins with.
    const [, path] = /^arn:[^:]+:ssm:[^:]*:\d{12}:parameter\/(.+)$/.exec(named) ?? [];
    const name = path === undefined ? named : this.all.has(`/${path}`) ? `/${path}` : path;
    const parameter = this.all.get(name);
    const found = parameter?.versions.findLast((each) => version === undefined || each.version === Number(version));
    return parameter === undefined || found === undefined ? undefined : { parameter, ...found };
  }

  get(selector: string) {
    if (selector.startsWith('/aws/reference/secretsmanager/'))
      throw notImplemented('ssm', 'parameters that refer to Secrets Manager');
    const found = this.find(selector);
    if (found === undefined) throw new AwsError('ParameterNotFound', '');
    return found;
  }
}

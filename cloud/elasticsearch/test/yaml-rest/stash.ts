import { Mismatch } from './mismatch.ts';
import type { YamlAnswer } from './yaml-target.ts';

/** The last response and the values that a case has set aside. */
export class Stash {
  readonly #values = new Map<string, unknown>();
  #last: YamlAnswer | undefined;
  #head = false;

  answered(answer: YamlAnswer, head: boolean): void {
    this.#last = answer;
    this.#head = head;
  }

  set(argument: Readonly<Record<string, string>>): void {
    for (const [path, name] of Object.entries(argument)) this.#values.set(name, this.at(path));
  }

  /** `#base64EncodeCredentials(user,password)`, the one transformation there is. */
  transform(argument: Readonly<Record<string, string>>): void {
    for (const [name, expression] of Object.entries(argument)) {
      const call = /^#base64EncodeCredentials\(([^)]*)\)$/.exec(expression);
      if (call === null) throw new Mismatch(`the runner does not know the transformation ${expression}`);
      const parts = call[1]!.split(',').map((path) => String(this.at(path.trim())));
      this.#values.set(name, Buffer.from(parts.join(':')).toString('base64'));
    }
  }

  /** `$name` and `${name}` are replaced by what was set, in values and keys. */
  replace(value: unknown): unknown {
    if (typeof value === 'string') return this.#replaceText(value);
    if (Array.isArray(value)) return value.map((item) => this.replace(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [String(this.#replaceText(key)), this.replace(member)]),
    );
  }

  #replaceText(text: string): unknown {
    const whole = /^\$\{?([\w.]+)\}?$/.exec(text);
    if (whole !== null) {
      const found = this.#lookUp(whole[1]!);
      if (found !== undefined) return found;
    }
    return text.replace(/\$\{([\w.]+)\}/g, (match, name: string) => {
      const found = this.#lookUp(name);
      return found === undefined ? match : String(found);
    });
  }

  /** A name, `body`, or a path into one of both. */
  #lookUp(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    const [first, ...path] = name.split('.') as [string, ...string[]];
    const start = this.#values.has(first) ? this.#values.get(first) : first === 'body' ? this.#body() : undefined;
    return path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], start);
  }

  #body(): unknown {
    return this.#last === undefined ? undefined : (this.#last.body ?? this.#last.text);
  }

  /** Follows a path such as `nodes.$id.roles.0`, `_arbitrary_key_`, `a\.b`, `$body` or the empty path. */
  at(path: string): unknown {
    if (path === '$body') return this.#body();
    if (path === '') return this.#head ? this.#last!.status < 300 : this.#body();
    const parts = path.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
    const start = parts[0] === '$body' ? parts.slice(1) : parts;
    return start.reduce<unknown>((value, raw) => this.#member(value, raw), this.#body());
  }

  #member(value: unknown, raw: string): unknown {
    if (typeof value !== 'object' || value === null) return undefined;
    if (raw === '_arbitrary_key_') return Object.keys(value)[0];
    const key = raw.includes('$') ? String(this.replace(raw)) : raw;
    return (value as Record<string, unknown>)[key];
  }
}

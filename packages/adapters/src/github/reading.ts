/** A value in a response that is not what the platform documents. */
export class UnexpectedValue extends Error {}

/** Reads a value, or says where it is and what it should have been. */
export type Read<T> = (value: unknown, at: string) => T;

export const text: Read<string> = (value, at) => (typeof value === 'string' ? value : wrong(value, at, 'a text'));
export const number: Read<number> = (value, at) =>
  typeof value === 'number' && Number.isFinite(value) ? value : wrong(value, at, 'a number');
export const truth: Read<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : wrong(value, at, 'true or false');

export function optional<T>(read: Read<T>): Read<T | undefined> {
  return (value, at) => (value === undefined || value === null ? undefined : read(value, at));
}

export function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return wrong(value, at, 'a list');
    return value.map((item, index) => read(item, `${at}[${index}]`));
  };
}

/** An object with these members; others are ignored. */
export function object<T>(members: { readonly [Name in keyof T]: Read<T[Name]> }): Read<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  return (value, at) => {
    if (typeof value !== 'object' || value === null) return wrong(value, at, 'an object');
    const found: Partial<T> = {};
    for (const name of names)
      found[name] = members[name]((value as Record<string, unknown>)[name], at === '' ? name : `${at}.${name}`);
    return found as T;
  };
}

function wrong(value: unknown, at: string, expected: string): never {
  const shown = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
  throw new UnexpectedValue(`${at === '' ? 'the response' : at} is ${shown}, not ${expected}`);
}

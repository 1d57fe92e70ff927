/** Thrown for things that a function may not do in process, with the reason. */
class RefusedInSandbox extends Error {
  constructor(what: string) {
    super(
      `the embedded cloud does not let an in-process function use ${what}: its network, files and time are simulated`,
    );
    this.name = 'RefusedInSandbox';
  }
}

type Module = Readonly<Record<string, unknown>>;

/** A module whose functions and classes exist, since bundles name them when they load, but throw when they are used. */
export function refusedModule(name: string, real: Module, allowed: Module = {}): Module {
  const refuse = (key: string, value: unknown) => (typeof value === 'function' ? refused(`${name}.${key}`) : value);
  return madeFrom(real, allowed, refuse);
}

function refused(what: string) {
  return function refusedInSandbox(): never {
    throw new RefusedInSandbox(what);
  };
}

/** The real module with some members replaced. */
export const replacedModule = (real: Module, replaced: Module): Module =>
  madeFrom(real, replaced, (_key, value) => value);

/** A plain object, as bundlers copy modules property by property; members are made when they are first read. */
function madeFrom(real: Module, given: Module, make: (key: string, value: unknown) => unknown): Module {
  const made: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(real), ...Object.keys(given)])) {
    if (key === 'default') continue;
    let known: { value: unknown } | undefined = key in given ? { value: given[key] } : undefined;
    const get = () => {
      known ??= { value: make(key, real[key]) };
      return known.value;
    };
    const set = (value: unknown) => {
      known = { value };
    };
    Object.defineProperty(made, key, { get, set, enumerable: true, configurable: true });
  }
  return made;
}

/** An object of the platform with some members replaced; its methods stay bound to it. */
export function replacedObject<T extends object>(real: T, replaced: Module): T {
  return new Proxy({} as T, {
    get(_target, key) {
      if (typeof key === 'string' && key in replaced) return replaced[key];
      const value: unknown = Reflect.get(real, key, real);
      return typeof value === 'function' ? value.bind(real) : value;
    },
    has: (_target, key) => key in replaced || Reflect.has(real, key),
  });
}

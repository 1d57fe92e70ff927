/**
 * The container inside @peculiar/x509 asks for three functions of the Reflect metadata proposal before it loads. This is
 * all that it uses of it; the usual polyfill is forty times as long. Import it before the library.
 */
const metadata = new WeakMap<object, Map<string, unknown>>();
const read = (key: string, target: object) => metadata.get(target)?.get(key);

Object.assign(Reflect, {
  getMetadata: read,
  getOwnMetadata: read,
  defineMetadata(key: string, value: unknown, target: object) {
    const own = metadata.get(target) ?? new Map<string, unknown>();
    metadata.set(target, own.set(key, value));
  },
});

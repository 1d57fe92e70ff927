import * as realCrypto from 'node:crypto';
import type { Random } from '@drover/core';
import type { RealWork } from './real-work.ts';
import { replacedModule, replacedObject } from './refused.ts';

type Done<T> = (error: null, value: T) => void;
type View = NodeJS.ArrayBufferView;

/** `crypto.getRandomValues` with chance from a seed. */
export function fillFrom<T extends View>(random: Random, view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let index = 0; index < bytes.length; index++) bytes[index] = random.int(0, 255);
  return view;
}

/** The crypto module and the global `crypto`, with chance from the environment's seed and subtle work one at a time. */
export function seededCrypto(random: Random, work: RealWork) {
  const fill = <T extends View>(view: T): T => fillFrom(random, view);
  const randomBytes = (size: number, done?: Done<Buffer>) => {
    const bytes = fill(Buffer.alloc(size));
    return done === undefined ? bytes : void queueMicrotask(() => done(null, bytes));
  };
  const randomInt = (...args: unknown[]) => {
    const [least, most] = typeof args[1] === 'number' ? [args[0] as number, args[1]] : [0, args[0] as number];
    const value = random.int(least, most - 1);
    const done = args.at(-1);
    return typeof done === 'function' ? void queueMicrotask(() => (done as Done<number>)(null, value)) : value;
  };
  const webcrypto = replacedObject(realCrypto.webcrypto, {
    getRandomValues: fill,
    randomUUID: () => random.uuid(),
    subtle: queuedSubtle(work),
  });
  const module = replacedModule(realCrypto, {
    randomUUID: () => random.uuid(),
    randomBytes,
    pseudoRandomBytes: randomBytes,
    randomInt,
    randomFillSync: fill,
    randomFill: (view: View, done: Done<View>) => queueMicrotask(() => done(null, fill(view))),
    getRandomValues: fill,
    webcrypto,
    subtle: webcrypto.subtle,
  });
  return { module, webcrypto };
}

/** Subtle crypto works on threads: time stands still until it is done. */
function queuedSubtle(work: RealWork): object {
  const { subtle } = realCrypto.webcrypto;
  return new Proxy(subtle, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => work.run(() => Reflect.apply(value, target, args) as Promise<unknown>);
    },
  });
}

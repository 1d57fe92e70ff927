import * as realZlib from 'node:zlib';
import type { RealWork } from './real-work.ts';
import { replacedModule } from './refused.ts';

type Done = (error: Error | null, result?: Buffer) => void;
type Act = (input: never, options?: never) => Buffer;

/** The callback functions work on threads: here they are done at once, in order. Streams stay real. */
export function zlibOverWork(work: RealWork) {
  const names = [
    'gzip',
    'gunzip',
    'deflate',
    'inflate',
    'deflateRaw',
    'inflateRaw',
    'unzip',
    'brotliCompress',
    'brotliDecompress',
  ];
  const replaced = names.map((name) => {
    const sync = Reflect.get(realZlib, `${name}Sync`) as Act;
    const act = (...args: unknown[]) => {
      const done = args.at(-1) as Done;
      const [input, options] = args.slice(0, -1);
      work
        .run(async () => sync(input as never, options as never))
        .then(
          (result) => done(null, result),
          (error: Error) => done(error),
        );
    };
    return [name, act];
  });
  return replacedModule(realZlib as never, Object.fromEntries(replaced));
}

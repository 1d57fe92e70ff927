import type { DroverIo } from '../io.ts';

/** Prints acts and waits of a long command on stderr, the same reason to wait only once in a row. */
export function narrated(io: Pick<DroverIo, 'stderr'>) {
  let said = '';
  return {
    onWait: (because: string): void => {
      if (because !== said) io.stderr(`${because}\n`);
      said = because;
    },
    onAction: (what: string): void => io.stderr(`${what}\n`),
  };
}

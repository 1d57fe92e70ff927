import type { Plugin } from 'esbuild';

/** Packages of npm stay where they are; our own are written into the bundle. */
export const npmStaysOutside: Plugin = {
  name: 'npm-stays-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@drover/') ? undefined : { path, external: true },
    );
  },
};

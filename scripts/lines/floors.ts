import { readFileSync } from 'node:fs';

/** Floors of the house from below, as docs/ARCHITECTURE.md has them. */
export const floors = ['product', 'cloud', 'laptop', 'quality', 'top'] as const;
export type Floor = (typeof floors)[number];

/** The floor of each folder, for the border check too. The first prefix that fits decides. */
const places = JSON.parse(readFileSync(new URL('floors.json', import.meta.url), 'utf8')) as readonly (readonly [
  prefix: string,
  floor: Floor,
])[];

export const floorOf = (packageFolder: string): Floor =>
  places.find(([prefix]) => `${packageFolder}/`.startsWith(prefix))![1];

/** Files that were deleted or rewritten after their package had been split: where they would be now. */
const formerly: readonly (readonly [prefix: string, packageFolder: string])[] = [
  ['packages/embedded-cloud/', 'cloud/aws'],
  ['apps/drover/src/what-if/', 'packages/local'],
  ['apps/drover/src/local/http/what-if-routes.ts', 'packages/observation'],
  ['apps/drover/src/local/', 'packages/local'],
  ['apps/drover/src/synth/', 'packages/local'],
  ['apps/drover/src/observation/', 'packages/observation'],
  ['apps/drover/src/console/', 'packages/observation'],
  ['apps/drover/src/program.ts', 'apps/drover'],
  ['apps/drover/src/arguments.ts', 'apps/drover'],
  ['apps/drover/src/', 'packages/operator'],
];

/** `packages/core` for a file below it; `scripts` and `bench` as a whole. */
export function packageOf(file: string): string {
  const [folder = '', name = ''] = file.split('/');
  return ['cloud', 'packages', 'apps'].includes(folder) ? `${folder}/${name}` : folder;
}

export const packageBefore = (file: string): string =>
  formerly.find(([prefix]) => file.startsWith(prefix))?.[1] ?? packageOf(file);

/** Floors of the house from below, as docs/ARCHITECTURE.md has them. */
export const floors = ['product', 'cloud', 'laptop', 'quality', 'top'] as const;
export type Floor = (typeof floors)[number];

/** The first prefix that fits decides. */
const places: readonly (readonly [prefix: string, floor: Floor])[] = [
  ['cloud/', 'cloud'],
  ['packages/stage', 'laptop'],
  ['packages/local', 'laptop'],
  ['packages/what-if', 'laptop'],
  ['packages/simulation', 'quality'],
  ['apps/drover', 'top'],
  ['apps/console', 'top'],
  ['packages/', 'product'],
  ['apps/', 'product'],
  ['', 'quality'],
];

export const floorOf = (packageFolder: string): Floor =>
  places.find(([prefix]) => `${packageFolder}/`.startsWith(prefix))![1];

/** Files that were deleted after their package had been split: where they would be now. */
const formerly: readonly (readonly [prefix: string, packageFolder: string])[] = [
  ['packages/embedded-cloud/', 'cloud/aws'],
  ['apps/drover/src/what-if/', 'packages/local'],
  ['apps/drover/src/local/', 'packages/local'],
  ['apps/drover/src/synth/', 'packages/local'],
  ['apps/drover/src/observation/', 'packages/observation'],
  ['apps/drover/src/console/', 'packages/observation'],
  ['apps/drover/src/', 'packages/operator'],
];

/** `packages/core` for a file below it; `scripts` and `bench` as a whole. */
export function packageOf(file: string): string {
  const [folder = '', name = ''] = file.split('/');
  return ['cloud', 'packages', 'apps'].includes(folder) ? `${folder}/${name}` : folder;
}

export const packageBefore = (file: string): string =>
  formerly.find(([prefix]) => file.startsWith(prefix))?.[1] ?? packageOf(file);

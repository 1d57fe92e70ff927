/** Folders without a match of the patterns: none may come back. A folder is added when its texts have been rewritten. */
export const cleanFolders: readonly string[] = [
  'cloud',
  'packages/adapters',
  'packages/constructs',
  'packages/core',
  'packages/fleet-runtime',
  'packages/formats',
  'packages/runner-fleet',
  'packages/search-cluster',
  'packages/simulation',
  'packages/stage',
];

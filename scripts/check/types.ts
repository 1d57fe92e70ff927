/** Checks the types of the whole tree and of the page: everything in a fresh clone, afterwards what depends on changed files. */
import { spawnSync } from 'node:child_process';

const compiler = 'node_modules/typescript-native/bin/tsc';
const projects = { all: 'tsconfig.json', console: 'apps/console/tsconfig.json' };

const failed = Object.entries(projects).filter(([name, project]) => {
  const known = `.cache/types/${name}.tsbuildinfo`;
  const args = [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', known, '-p', project];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);

/**
 * `npm run test:node -- 22 24`: what a user does first, and the packages, on other versions of Node. For each, the last commit is cloned
 * into an empty folder, so that nothing of this checkout's `node_modules` is used.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../build/version.ts';
import { cleanEnvironment } from '../release/installed-folder.ts';
import { nodeFolder, nodes } from './nodes.ts';

const steps = ['npm ci --prefer-offline --no-audit --no-fund', 'npm start -- --once', 'npm run --silent test:packages'];

function tryOn(major: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), `drover-node-${major}-`));
  const environment = cleanEnvironment();
  const env = { ...environment, PATH: `${nodeFolder(major)}:${environment.PATH}` };
  const run = (line: string, cwd: string) => {
    const startedAt = performance.now();
    const { status } = spawnSync('/bin/sh', ['-ec', line], { cwd, env, stdio: 'inherit' });
    const took = ((performance.now() - startedAt) / 1000).toFixed(0);
    return `Node ${major}: ${line} ended with ${status} after ${took} s`;
  };
  try {
    const lines = [run(`node --version && git clone --quiet ${root} .`, folder)];
    for (const step of steps) if (lines.at(-1)!.includes('ended with 0 ')) lines.push(run(step, folder));
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const lines = (wanted.length === 0 ? nodes : wanted).flatMap(tryOn);
console.log(`\n${lines.join('\n')}`);
const failed = lines.filter((line) => !line.includes('ended with 0 ')).length;
console.log(`${lines.length - failed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed > 0 ? 1 : 0;

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const program = pathToFileURL(join(import.meta.dirname, 'temporary-folder.ts')).href;

it('a run takes along what it leaves in the temporary folder, also when it fails', () => {
  const outer = mkdtempSync(join(tmpdir(), 'outer-'));
  const script = `
    const { default: ownTemporaryFolder } = await import('${program}');
    const { mkdtempSync, writeFileSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    ownTemporaryFolder();
    ownTemporaryFolder();
    const left = mkdtempSync(tmpdir() + '/left-');
    writeFileSync(left + '/file', 'x');
    console.log(left);
    throw new Error('as a failing test');`;
  const env = { ...process.env, TMPDIR: outer, DROVER_TEST_TMPDIR: undefined, TSX_DISABLE_CACHE: '1' };
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });

  expect(status).toBe(1);
  expect(dirname(dirname(stdout.trim()))).toBe(outer);
  expect(readdirSync(outer)).toEqual([]);
});

it('this run is such a run', () => {
  expect(tmpdir()).toBe(process.env.DROVER_TEST_TMPDIR);
});

/**
 * Keeps `cluster-cli` of a release as tests of later versions run it: one CommonJS module that exports `main`, from the sources of its tag,
 * without the SDK, whose place the test takes.
 *
 *   tsx scripts/freeze-programs.ts v0.1.0 packages/simulation/test/fixtures/release-0.1.0
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './build/version.ts';

const [tag, kept] = process.argv.slice(2);
if (tag === undefined || kept === undefined) throw new Error('tsx scripts/freeze-programs.ts TAG FOLDER');
const sources = mkdtempSync(join(tmpdir(), 'drover-sources-'));
try {
  const archive = execFileSync('git', ['archive', tag, 'apps/cluster-cli', 'packages'], {
    cwd: root,
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-x', '-C', sources], { input: archive });
  // Linked, and named by their links: no path of this machine comes into the module.
  const link = (from: string, to: string) => {
    mkdirSync(join(sources, 'node_modules', to), { recursive: true });
    for (const name of readdirSync(from).filter((each) => !/^[.@]/.test(each)))
      symlinkSync(join(from, name), join(sources, 'node_modules', to, name));
  };
  link(join(root, 'node_modules'), '.');
  link(join(sources, 'packages'), '@drover');
  const { outputFiles } = await build({
    entryPoints: ['apps/cluster-cli/src/index.ts'],
    absWorkingDir: sources,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported: { 'dynamic-import': false },
    external: ['@aws-sdk/*'],
    preserveSymlinks: true,
    write: false,
  });
  mkdirSync(join(kept, 'programs'), { recursive: true });
  writeFileSync(join(kept, 'programs/cluster-cli.cjs.gz'), gzipSync(outputFiles[0]!.contents, { level: 9 }));
} finally {
  rmSync(sources, { recursive: true, force: true });
}

/**
 * Keeps what instances of a release run as tests of later versions run it: `cluster-cli` and `runner-agent`, each as one CommonJS module
 * from the sources of its tag, without the SDK, whose place the test takes; the recorded catalogues of Puppet for search nodes, and the
 * units of a runner.
 *
 *   tsx scripts/freeze-programs.ts v0.1.0 packages/simulation/test/fixtures/release-0.1.0
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './build/version.ts';

const [tag, kept] = process.argv.slice(2);
if (tag === undefined || kept === undefined) throw new Error('tsx scripts/freeze-programs.ts TAG FOLDER');

/** Modules whose exports are kept. Of the agent's host the texts that it writes: systemd and processes are the test's. */
const programs: Readonly<Record<string, string>> = {
  'cluster-cli': `export * from './apps/cluster-cli/src/index.ts';`,
  'runner-agent': `export * from './apps/runner-agent/src/index.ts';
    export { configArguments, silenceRules } from './apps/runner-agent/src/linux-host.ts';`,
};

const sources = mkdtempSync(join(tmpdir(), 'drover-sources-'));
try {
  const archive = execFileSync('git', ['archive', tag, 'apps', 'packages', 'puppet'], {
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
  mkdirSync(join(kept, 'programs'), { recursive: true });
  for (const [name, contents] of Object.entries(programs)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: sources, sourcefile: 'programs.ts', loader: 'ts' },
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
    writeFileSync(join(kept, `programs/${name}.cjs.gz`), gzipSync(outputFiles[0]!.contents, { level: 9 }));
  }
  const written = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\/catalogs\/\w+\.snap\.json$|\/drover_runner\/templates\/[\w-]+\.service\.epp$/.test(file),
  );
  for (const file of written) cpSync(join(sources, file), join(kept, 'puppet', basename(file)));
} finally {
  rmSync(sources, { recursive: true, force: true });
}

import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, freePort, InstalledFolder } from './installed-folder.ts';
import { root } from './packages.ts';
import { writeTarballs } from './release.ts';

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;

const good = ({ code, stdout, stderr }: Ended) => {
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
  return stdout;
};

let tarballs: readonly string[] = [];
let tarballFolder: string;

beforeAll(async () => {
  tarballFolder = mkdtempSync(join(tmpdir(), 'drover-tarballs-'));
  tarballs = await writeTarballs(tarballFolder);
});
afterAll(() => rmSync(tarballFolder, { recursive: true }));

describe('the packages for npm', () => {
  it.each(['constructs', 'drover', 'cluster-cli'])('publint has nothing to say about %s', async (name) => {
    const { messages } = await publint({ pkgDir: join(root, '.cache/release/packages', name), strict: true });
    expect(messages).toEqual([]);
  });

  it('types of @drover/constructs are found by every way of resolving ES modules', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarballs[0]!))));
    // The package is for ES modules only.
    const problems = result.types === false ? ['no types'] : result.problems;
    const relevant = problems.filter(
      (problem) =>
        typeof problem === 'string' ||
        !('resolutionKind' in problem) ||
        !/node10|node16-cjs/.test(problem.resolutionKind),
    );
    expect(relevant).toEqual([]);
  });
});

describe('installed into an empty folder', () => {
  const folder = new InstalledFolder();
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  it('the packages can be installed with nothing but their own dependencies', async () => {
    folder.write('package.json', { private: true, type: 'module' });
    const beside = ['aws-cdk-lib', 'constructs', 'typescript', '@types/node'].map(
      (name) => `${name}@${versionOf(name)}`,
    );
    good(await folder.run(`npm install --prefer-offline --no-audit --no-fund ${[...tarballs, ...beside].join(' ')}`));
    const installed = join(folder.path, 'node_modules/@drover/constructs');
    accessSync(join(installed, 'packages/constructs/src/boot/bin/configure'), constants.X_OK);
    expect(good(await folder.run(`find node_modules/@drover node_modules/drover -name '*.test.ts'`))).toBe('');
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
  });

  it('a strict app in TypeScript that uses the constructs with its own VPC has no type error', async () => {
    folder.copy('scripts/release/consumer-app.ts', 'app.ts');
    folder.write('tsconfig.json', {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        outDir: 'built',
      },
      files: ['app.ts'],
    });
    good(await folder.run('npx tsc'));
  });

  it('the app is synthesised', async () => {
    good(await folder.run('CDK_VALIDATION=false node built/app.js'));
    expect(existsSync(join(folder.path, 'cdk.out/search.template.json'))).toBe(true);
  });

  it('drover local deploys the app, and cluster-cli reports the health of its cluster', async () => {
    const [console_, aws, platform, search] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort('127.0.1.1'),
    ];
    const ports = `--console-port ${console_} --aws-port ${aws} --platform-port ${platform} --search-port ${search}`;
    const local = await folder.start(`npx drover local --assembly cdk.out ${ports}`, 'drover local ready');
    try {
      const shell = (line: string) => folder.run(`. .drover/local.env; ${line}`);
      expect(good(await shell('npx cluster-cli cluster-health'))).toMatch(/green/);
      expect(good(await shell('npx drover fleet status'))).toContain('actions-runner-production');
      expect(await (await fetch(`http://127.0.0.1:${console_}/`)).text()).toContain('<html');
    } finally {
      const ended = new Promise((resolve) => local.once('exit', resolve));
      local.kill('SIGINT');
      await ended;
    }
  });

  it('drover what-if replays the trace that comes with the package', async () => {
    const examples = 'node_modules/drover/examples/what-if';
    const report = good(
      await folder.run(`npx drover what-if ${examples}/small.yaml --jobs ${examples}/burst.csv --hours 1`),
    );
    expect(report).toContain('small');
  });
});

/** Apps of TypeScript users of several years, each installed from the files of a release: types, tests and templates. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { root } from '../build/version.ts';
import { good, InstalledFolder } from './installed-folder.ts';
import { lowest } from './languages/toolchain.ts';
import { withoutTags } from './without-tags.ts';

const npm = join(inject('released'), 'npm');
const constructs = join(npm, readdirSync(npm).find((name) => name.startsWith('drover-constructs-'))!);
const newest = (
  JSON.parse(readFileSync(join(root, 'node_modules/aws-cdk-lib/package.json'), 'utf8')) as { readonly version: string }
).version;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** A test of the names that the released package has for other languages, beyond those of its sources. */
const namesOfOtherLanguages = `
import { Architecture, RunnerFleet, type RunnerFleetProps, ScalingMode } from '@drover/constructs';

test('enums are accepted beside texts, and functions have members', () => {
  const props: Partial<RunnerFleetProps> = { scalingMode: ScalingMode.JOBS, architecture: Architecture.ARM64 };
  expect(props).toEqual({ scalingMode: 'jobs', architecture: 'arm64' });
  expect(Object.getOwnPropertyNames(RunnerFleet.prototype)).toContain('demandFunction');
});
`;

/** As `cdk init app --language typescript` of that version writes it, without the command itself, which no step here needs. */
class InitialisedApp extends InstalledFolder {
  async create(cli: string, library: string): Promise<void> {
    good(
      await this.run(`npm pack --prefer-offline --silent aws-cdk@${cli}
        tar xzf aws-cdk-${cli}.tgz --strip-components 5 package/lib/init-templates/app/typescript`),
    );
    const text = readFileSync(join(this.path, 'package.json'), 'utf8').replaceAll('%name%', 'app');
    const manifest = JSON.parse(text) as Manifest;
    const { 'aws-cdk': _, ...devDependencies } = manifest.devDependencies;
    const dependencies = {
      ...manifest.dependencies,
      'aws-cdk-lib': library,
      constructs: '^10.0.5',
      '@drover/constructs': `file:${constructs}`,
    };
    this.write('package.json', { ...manifest, dependencies, devDependencies });
    for (const folder of ['bin', 'lib', 'test']) rmSync(join(this.path, folder), { recursive: true });
    this.copyApp('app.ts', 'bin/app.ts');
    this.copyApp('jest-typescript.ts', 'test/app.test.ts');
    this.write('test/names.test.ts', namesOfOtherLanguages);
    good(await this.run('npm install --prefer-offline --no-audit --no-fund --loglevel error'));
  }
}

const made: InstalledFolder[] = [];
afterAll(() => {
  for (const { path } of made) rmSync(path, { recursive: true, force: true });
});
function folder<T extends InstalledFolder>(one: T): T {
  made.push(one);
  return one;
}

/** Templates by the version of the CDK that wrote them: all apps of one version have to write the same. */
const written = new Map<string, Readonly<Record<string, string>>>();
function compare(library: string, templates: Readonly<Record<string, string>>): void {
  expect(Object.keys(templates)).toEqual(['network.template.json', 'runners.template.json', 'search.template.json']);
  const first = written.get(library) ?? templates;
  written.set(library, first);
  const different = Object.keys(first).filter((name) => first[name] !== templates[name]);
  expect(different, `templates of ${library} that differ`).toEqual([]);
}

/** Types were checked before: a second time takes as long again. */
const runTs = 'TS_NODE_TRANSPILE_ONLY=true npx ts-node --prefer-ts-exts bin/app.ts';

describe.each([
  { cli: '2.140.0', library: lowest['aws-cdk-lib'], run: runTs },
  { cli: '2.1018.0', library: lowest['aws-cdk-lib'], run: runTs },
  { cli: '2.1147.0', library: newest, run: 'npx tsx bin/app.ts' },
])('an app as the CDK command $cli initialises it, on aws-cdk-lib $library', ({ cli, library, run }) => {
  const app = folder(new InitialisedApp());

  it('the app is installed and compiles without skipLibCheck: no type error in it or in any declaration file', async () => {
    await app.create(cli, library);
    good(await app.run('npx tsc --noEmit --skipLibCheck false'));
  });

  it('writes the templates that the other apps on this version write', async () => {
    good(await app.run(run));
    compare(library, app.templates());
  });

  it('passes its own tests under jest', async () => {
    good(await app.run('npx jest'));
  });

  it.runIf(cli === '2.140.0')('passes a test in plain CommonJS under jest', async () => {
    app.copyApp('jest-plain.cjs', 'test/plain.test.js');
    good(await app.run(`npx jest --testMatch '**/plain.test.js'`));
  });

  it.runIf(cli === '2.1147.0')('writes the same templates from ES modules', async () => {
    app.write('esm/package.json', { type: 'module' });
    app.copyApp('app.ts', 'esm/app.ts');
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      skipLibCheck: false,
    };
    app.write('esm/tsconfig.json', { compilerOptions, files: ['app.ts'] });
    good(await app.run('cd esm && npx tsc && node app.js'));
    compare(library, app.templates('esm'));
  });
});

describe('versions of aws-cdk-lib', () => {
  it('the lowest version writes the templates of the newest, but for tags', () => {
    const [low, high] = [written.get(lowest['aws-cdk-lib'])!, written.get(newest)!].map((templates) =>
      Object.entries(templates).map(([name, text]) => [name, withoutTags(JSON.parse(text))]),
    );
    expect(low).toEqual(high);
  });

  it('with a version below the lowest synthesis stops, and names the version to install', async () => {
    const app = folder(new InstalledFolder());
    app.write('node_modules/aws-cdk-lib/package.json', { name: 'aws-cdk-lib', version: '2.199.0' });
    good(
      await app.run(
        `mkdir -p node_modules/@drover/constructs && tar xzf ${constructs} --strip-components 1 -C node_modules/@drover/constructs`,
      ),
    );
    const { code, stderr } = await app.run(
      `node -e "require('@drover/constructs/package.json'); require('@drover/constructs')"`,
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Install aws-cdk-lib@^${lowest['aws-cdk-lib']}`)]);
  });
});

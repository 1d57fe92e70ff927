import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packFolders, sha256 } from './pack.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pack-'));
  mkdirSync(join(folder, 'tree/deep'), { recursive: true });
  writeFileSync(join(folder, 'tree/deep/program'), '#!/bin/sh\necho hello\n');
  chmodSync(join(folder, 'tree/deep/program'), 0o700);
  writeFileSync(join(folder, 'tree/text'), 'ä'.repeat(1000));
  writeFileSync(join(folder, 'tree/empty'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const pack = () => packFolders([{ from: join(folder, 'tree'), to: 'to/here' }]);

it('a packed folder is an archive that tar unpacks with contents and the right to run', () => {
  writeFileSync(join(folder, 'archive.tar'), pack());
  mkdirSync(join(folder, 'out'));

  execFileSync('tar', ['-xf', join(folder, 'archive.tar'), '-C', join(folder, 'out')]);

  expect(execFileSync(join(folder, 'out/to/here/deep/program')).toString()).toBe('hello\n');
  expect(readFileSync(join(folder, 'out/to/here/text'), 'utf8')).toBe('ä'.repeat(1000));
  expect(statSync(join(folder, 'out/to/here/empty')).size).toBe(0);
});

it('a packed folder is the same for the same files, whenever and under whatever mask they were written', () => {
  const before = sha256(pack());
  utimesSync(join(folder, 'tree/text'), 1, 1);
  chmodSync(join(folder, 'tree/text'), 0o600);

  expect(sha256(pack())).toBe(before);
});

it('differs when a file changes', () => {
  const before = sha256(pack());
  writeFileSync(join(folder, 'tree/text'), 'other');

  expect(sha256(pack())).not.toBe(before);
});

it('refuses two files of one name, and names that the format cannot hold', () => {
  const twice = { from: join(folder, 'tree'), to: 'x' };

  expect(() => packFolders([twice, twice])).toThrow('would be in the archive twice');
  expect(() => packFolders([{ from: join(folder, 'tree'), to: 'x'.repeat(100) }])).toThrow('too long for an archive');
});

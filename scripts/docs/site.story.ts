import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { constructsPage, constructsReference } from './constructs.ts';
import { root } from './pages.ts';

const built = join(root, 'docs/.vitepress/dist');

describe('the site of the documents', () => {
  beforeAll(async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'docs'], { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  });

  it('docs/reference/constructs.md is what the comments of the constructs say', async () => {
    expect(readFileSync(constructsPage, 'utf8')).toBe(await constructsReference());
  });

  const files = (ending: RegExp) =>
    readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => ({ name, text: readFileSync(join(built, name), 'utf8') }));

  it('the site has a page for each group of documents, and none of what is internal', () => {
    const names = files(/\.html$/).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'index.html',
        'tutorial/first-zone-loss.html',
        'reference/constructs.html',
        'CONFIGURATION.html',
      ]),
    );
    expect(names.filter((name) => name.startsWith('internal'))).toEqual([]);
  });

  it('pages of the site load nothing from another host', () => {
    const loads =
      /(?:<(?:script|img|source|iframe|link)\b[^>]*\b(?:src|srcset|href)="|url\(["']?|@import ["'])(?:https?:)?\/\/[^"')]+/g;
    const found = files(/\.(html|css)$/).flatMap(({ name, text }) =>
      [...text.matchAll(loads)].map(([load]) => `${name}: ${load}`),
    );
    expect(found).toEqual([]);
  });
});

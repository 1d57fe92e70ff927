import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { published } from '../release/published.ts';

const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((page) => !/^(docs\/(decisions|internal)\/|CHANGELOG)/.test(page));

/** In public registries for years, and not ours. */
const known = ['aws-cdk', 'aws-cdk-lib', 'cdk', 'constructs', 'tsx', 'vitest', 'biome'];
const ours = ['drover', 'cluster-cli', '@drover/constructs', '@drover/cluster-cli', '@drover/local'];

const installs =
  /\b(?:npm (?:install|i|add|exec)|npx|yarn add|pnpm (?:add|dlx)|pip3? install|pipx (?:install|run)|uvx|uv (?:add|pip install)|poetry add|dotnet add package|bunx|yarn dlx|go get|go install)\b([^\n`|;&)]*)/g;

/** Names that a text has its reader fetch from a registry; paths of files are not among them. */
function fetched(text: string): readonly string[] {
  return [...text.matchAll(installs)].flatMap(([command, rest = '']) => {
    const words = rest
      .split(/\s+/)
      .filter((word) => /^@?[a-z][\w./@-]*$/i.test(word) && !/\.(tgz|whl|yaml)$/.test(word));
    // npx fetches its first word; what follows are the arguments of that program.
    return command.startsWith('npx') ? words.slice(0, 1) : words;
  });
}

describe('names in the documents', () => {
  it('no document has its reader install or run a package from a registry that a stranger could own', () => {
    const allowed = [...known, ...(published ? ours : [])];
    const strange = pages.flatMap((page) =>
      fetched(readFileSync(page, 'utf8'))
        .filter((name) => !allowed.includes(name.replace(/(?<=.)@.*$/, '')))
        .map((name) => `${page}: ${name}`),
    );

    expect(strange).toEqual([]);
  });

  it('documents that install the CDK command name its major version, which must fit the library', () => {
    const unpinned = pages.filter((page) => fetched(readFileSync(page, 'utf8')).includes('aws-cdk'));

    expect(unpinned).toEqual([]);
  });

  it.each([
    ['npm install @drover/constructs aws-cdk-lib constructs', ['@drover/constructs', 'aws-cdk-lib', 'constructs']],
    ['npx drover fleet status', ['drover']],
    ['npm install ./drover-constructs-*.tgz aws-cdk-lib', ['aws-cdk-lib']],
    ['npx --package @drover/cluster-cli cluster-cli', ['@drover/cluster-cli']],
    ['pip install drover', ['drover']],
    ['dotnet add package Drover.Constructs', ['Drover.Constructs']],
    ['uv add drover-constructs', ['drover-constructs']],
  ])('the test of names in documents reads %s', (text, names) => {
    expect(fetched(text)).toEqual(names);
  });
});

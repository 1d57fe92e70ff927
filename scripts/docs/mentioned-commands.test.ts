import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tree as clusterCli } from '../../apps/cluster-cli/src/tree/tree.ts';
import { tree as drover } from '../../apps/drover/src/tree/tree.ts';
import type { CommandTree } from '../../packages/command-tree/src/types.ts';
import { userPages } from './pages.ts';

// The references are made from the commands themselves.
const pages = ['README.md', ...userPages.filter((page) => !/CLUSTER-CLI|reference\/drover/.test(page))];

/** Each time a page says what to type: the words after the program's name, up to where the shell begins something else. */
function typed(program: string): readonly (readonly [string, readonly string[]])[] {
  return pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8').replaceAll('\\\n', ' ');
    const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) => block!.split('\n'));
    const spans = [...text.replaceAll(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
    return [...blocks, ...spans]
      .flatMap((line) => [...line.matchAll(new RegExp(`(?:^|[ (])${program} ([^|&;)]+)`, 'g'))])
      .map(([, words]) => [page, words!.trim().split(/\s+/)] as const)
      .filter(([, [first]]) => first !== '…');
  });
}

const optionsIn = (words: readonly string[]) =>
  words.filter((word) => /^\[?--\w/.test(word)).map((word) => word.replace(/^\[|\]$/g, ''));

it.each([drover, clusterCli] satisfies CommandTree[])(
  'every $program command line in the documents exists',
  ({ program, globalOptions, commands }: CommandTree) => {
    const mentions = typed(program).filter(([, [first]]) => first !== '--version');
    const wrong = mentions.flatMap(([page, words]) => {
      const command = commands.find(({ path }) => ` ${words.join(' ')} `.includes(` ${path.join(' ')} `));
      const known = new Set([...globalOptions, ...(command?.options ?? [])].map(({ name }) => `--${name}`));
      const unknown = optionsIn(words).filter((option) => !known.has(option));
      const isFamily = words.length === 2 && words[1] === '…' && commands.some(({ path }) => path[0] === words[0]);
      return isFamily || (command !== undefined && unknown.length === 0)
        ? []
        : [`${page}: ${program} ${words.join(' ')}`];
    });

    expect(mentions.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  },
);

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tree } from '../../apps/cluster-cli/src/tree/tree.ts';
import { buildProgram } from '../../apps/drover/src/program.ts';
import type { DroverIo } from '../../packages/operator/src/io.ts';
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

describe('commands in the documents', () => {
  const io = { stdout: () => {}, stderr: () => {} } as unknown as DroverIo;
  const program = buildProgram(io, () => {});

  it('every drover command line in the documents exists', () => {
    const mentions = typed('drover').filter(([, [first]]) => first !== '--version');
    const wrong = mentions.flatMap(([page, words]) => {
      let command = program;
      for (const word of words) {
        const child = command.commands.find((each) => each.name() === word);
        if (child === undefined) break;
        command = child;
      }
      const known = new Set(command.options.map(({ long }) => long));
      const unknown = optionsIn(words).filter((option) => !known.has(option));
      const isWhole = command.commands.length === 0 || words.at(-1) === '…';
      return isWhole && unknown.length === 0 ? [] : [`${page}: drover ${words.join(' ')}`];
    });

    expect(mentions.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  it('every cluster-cli command line in the documents exists', () => {
    const globals = new Set(tree.globalOptions.map(({ name }) => `--${name}`));
    const mentions = typed('cluster-cli').filter(([, [first]]) => first !== '--version');
    const wrong = mentions.flatMap(([page, words]) => {
      const command = tree.commands.find(({ path }) => ` ${words.join(' ')} `.includes(` ${path.join(' ')} `));
      const known = new Set([...globals, ...(command?.options ?? []).map(({ name }) => `--${name}`)]);
      const unknown = optionsIn(words).filter((option) => !known.has(option));
      const isFamily = words.length === 2 && words[1] === '…' && tree.commands.some(({ path }) => path[0] === words[0]);
      return isFamily || (command !== undefined && unknown.length === 0)
        ? []
        : [`${page}: cluster-cli ${words.join(' ')}`];
    });

    expect(mentions.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { marksIn } from './marks.ts';
import { patterns } from './patterns.ts';

const found = (file: string, text: string) =>
  marksIn(file, text).map(({ piece, pattern }) => `${piece.kind}: ${pattern.name}`);

/** A bad phrase of each kind, with one that reads almost the same and is right. */
const planted: Readonly<Record<string, readonly [bad: string, good: string]>> = {
  'so many': ['Runs are kept so many.', 'So many came that it was full.'],
  answer: ['A group answers with its name.', 'A group returns its name.'],
  'in the place of': ['A copy is used in the place of the file.', 'It takes the place of the file.'],
  anew: ['The page is made anew.', 'The page is renewed.'],
  tell: ['The log tells of it.', 'The log says so; it tells the node to stop.'],
  somebody: ['Deleted by whoever began it.', 'Deleted by its owner.'],
  'is said': ['Nothing is said of it.', 'It says nothing of it.'],
  'good for': ['A token is good for an hour.', 'A token is valid for an hour.'],
  'clause as a comment': ['What a moment says to a reader.', 'Whether a moment is shown.'],
};

describe('the check of the English', () => {
  it('every pattern of the check has a planted phrase', () => {
    expect(Object.keys(planted)).toEqual(patterns.map(({ name }) => name));
  });

  it.each(Object.entries(planted))('finds "%s" in a comment, and leaves its right use alone', (name, [bad, good]) => {
    expect(found('a.ts', `/** ${bad} */\nexport const a = 1;\n`)).toEqual([`comment: ${name}`]);
    expect(found('a.ts', `// ${bad.replace(/ (?=\S+$)/, '\n// ')}\nexport const a = 1;\n`)).toEqual([
      `comment: ${name}`,
    ]);
    expect(found('a.ts', `/** ${good} */\nexport const a = 1;\n`)).toEqual([]);
  });

  it('finds a phrase in titles, strings, templates, pages and documents', () => {
    expect(found('a.test.ts', "it('a group answers', () => {});\n")).toEqual(['title: answer']);
    expect(found('a.test.ts', 'it.each([1])(`a group %s answers`, () => {});\n')).toEqual(['title: answer']);
    expect(found('a.ts', "print('nobody is there');\n")).toEqual(['string: somebody']);
    expect(found('a.ts', 'print(`$' + '{name} is made anew`);\n')).toEqual(['string: anew']);
    expect(found('a.tsx', 'export const A = () => <p>It tells why.</p>;\n')).toEqual(['string: tell']);
    expect(found('a.md', 'Some runs,\nanew.\n')).toEqual(['markdown: anew']);
    expect(found('a.md', '| a | nobody |\n')).toEqual(['markdown: somebody']);
  });

  it('ignores code: names, expressions in templates, addresses, blocks of a document', () => {
    expect(
      found(
        'a.ts',
        "const answer = tell('https://a.example/answers');\nconst b = /nobody is/;\nconst c = `of $" +
          '{answer} there`;\n',
      ),
    ).toEqual([]);
    expect(found('a.md', '```\nnobody answers\n```\nRun `tell nobody` twice.\n')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { helpText } from './help.ts';
import { parse } from './parse.ts';
import type { CommandTree } from './types.ts';

const tree = {
  program: 'shop',
  summary: 'Sells things.',
  details: ['Exit codes: 0 sold, 2 a mistake in what was typed, 3 sold out, 4 closed until the next morning at nine.'],
  examples: [['sell apples', 'sells them']],
  globalOptions: [],
  commands: [
    {
      path: ['sell'],
      summary: 'sells goods, as many as there are, to the people that stand in the line before the counter',
      args: [{ name: 'goods', optional: true, list: true, summary: 'what' }],
      options: [
        { name: 'price', value: 'amount', kind: 'number', range: [0, 10], default: 0.5, summary: 'what one costs' },
        { name: 'pause', value: 'seconds', kind: 'integer', range: [1, 60], preset: 5, summary: 'between two' },
        { name: 'to', value: 'name', list: 'words', summary: 'who may buy' },
        { name: 'except', value: 'name', list: 'repeated', summary: 'who may not' },
        {
          name: 'open-at',
          value: 'hour',
          env: 'SHOP_OPENS',
          default: '9h',
          read: (text) => (/^\d+h$/.test(text) ? Number.parseInt(text, 10) : undefined),
          form: 'an hour such as 9h',
          summary: 'opens',
        },
        { name: 'a-name-that-needs-more-room-than-a-column', value: 'value', summary: 'stands on a line of its own' },
        { name: 'free', conflicts: ['price', 'pause'], summary: 'for nothing' },
      ],
      examples: [
        ['sell apples pears --price 0.25 --pause 10 --to ann bob --except carl --open-at 10h', 'to friends, later'],
      ],
    },
  ],
  groups: {},
} as const satisfies CommandTree;

const optionsOf = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const parsed = parse(tree, ['sell', ...argv], env);
  return parsed.kind === 'invocation' ? parsed.invocation.input : parsed;
};

describe('options of a command tree', () => {
  it('an option that is not typed has its default, and a text as default is read like a typed one', () => {
    expect(optionsOf([])).toEqual({
      args: { goods: [] },
      options: { price: 0.5, to: [], except: [], openAt: 9, free: false },
    });
  });

  it.each([
    ['a decimal number', ['--price', '0.25'], { price: 0.25 }],
    ['a preset without a value at the end', ['--pause'], { pause: 5 }],
    ['a preset before another option', ['--pause', '--price', '2'], { pause: 5, price: 2 }],
    ['a preset with a value of its own', ['--pause', '7'], { pause: 7 }],
    ['several words up to the next option', ['--to', 'ann', 'bob', '--free'], { to: ['ann', 'bob'] }],
    ['a list that is given twice', ['--except', 'ann', '--except=bob'], { except: ['ann', 'bob'] }],
    ['a value of a form of its own', ['--open-at', '10h'], { openAt: 10 }],
  ])('%s is read', (_title, argv, options) => {
    expect(optionsOf(argv)).toMatchObject({ options });
  });

  it('a list takes one word a time unless it says otherwise, and the rest are arguments', () => {
    expect(optionsOf(['--except', 'ann', 'apples', 'pears'])).toMatchObject({
      args: { goods: ['apples', 'pears'] },
      options: { except: ['ann'] },
    });
  });

  it('an environment variable stands for an option that was not typed; an empty one does not', () => {
    expect(optionsOf([], { SHOP_OPENS: '7h' })).toMatchObject({ options: { openAt: 7 } });
    expect(optionsOf(['--open-at', '8h'], { SHOP_OPENS: '7h' })).toMatchObject({ options: { openAt: 8 } });
    expect(optionsOf([], { SHOP_OPENS: '' })).toMatchObject({ options: { openAt: 9 } });
  });

  it.each([
    [['--price', '10.5'], "option '--price <amount>' argument '10.5' is invalid. It must be a number from 0 to 10."],
    [['--pause=0'], "option '--pause [seconds]' argument '0' is invalid. It must be a whole number from 1 to 60."],
    [['--open-at', 'noon'], "option '--open-at <hour>' argument 'noon' is invalid. It must be an hour such as 9h."],
    [['--free', '--price', '1'], "option '--free' cannot be used with option '--price <amount>'"],
    [['--free', '--pause', '1'], "option '--free' cannot be used with option '--pause [seconds]'"],
  ])('%j is refused, and the message says what is allowed', (argv, message) => {
    expect(optionsOf(argv)).toEqual({ kind: 'mistake', message });
  });

  it('a value of the environment is checked like a typed one', () => {
    expect(optionsOf([], { SHOP_OPENS: 'noon' })).toMatchObject({ kind: 'mistake' });
  });
});

describe('help of a command tree', () => {
  it('the help fits 80 columns: long terms stand alone, long examples are continued', () => {
    expect(helpText(tree, ['sell'])).toBe(`Usage: shop sell [options] [goods...]

sells goods, as many as there are, to the people that stand in the line before
the counter

Arguments:
  goods              what

Options:
  --price <amount>   what one costs (default: 0.5)
  --pause [seconds]  between two
  --to <name...>     who may buy
  --except <name>    who may not
  --open-at <hour>   opens (default: "9h", env: SHOP_OPENS)
  --a-name-that-needs-more-room-than-a-column <value>
                     stands on a line of its own
  --free             for nothing
  -h, --help         show this help

Examples:
  $ shop sell apples pears --price 0.25 --pause 10 --to ann bob \\
        --except carl --open-at 10h
      to friends, later
`);
    expect(
      helpText(tree, [])
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});

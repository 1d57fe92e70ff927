/** Documents on which binary forms of JSON go wrong. Numbers are those that JavaScript, Java and JSON all hold exactly. */
export const difficultDocuments: Readonly<Record<string, unknown>> = {
  'small numbers': { values: [0, 1, -1, 15, -16, 16, -17, 23, 24, -24, -25, 63, 64, 127, 128, 255, 256] },
  'numbers at the edges of types': {
    values: [
      32_767,
      32_768,
      -32_768,
      65_535,
      65_536,
      2 ** 31 - 1,
      -(2 ** 31),
      2 ** 32 - 1,
      2 ** 32,
      -(2 ** 32),
      2 ** 40,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ],
  },
  fractions: { values: [0.5, -1.25, 0.1, 1e-7, 123_456.789, 1.797e308, -4.9e-300] },
  'texts of every length': {
    values: [0, 1, 31, 32, 33, 63, 64, 65, 127, 255, 256, 1000].map((length) => 'a'.repeat(length)),
  },
  'texts beyond ASCII': {
    values: ['ü', 'ü'.repeat(16), 'ü'.repeat(17), 'ü'.repeat(33), '漢字'.repeat(30), '🐑'.repeat(20), 'naïve café'],
  },
  'long texts': { ascii: 'x'.repeat(70_000), wide: 'ж'.repeat(40_000), astral: '🐑'.repeat(9_000) },
  'signs that need escapes': { text: '"\\/\b\f\n\r\t\u0001 : - # {} [] , & * ! | > \' % @ `', empty: '' },
  nesting: { a: { b: { c: { d: [[], [[]], [{}], [{ e: [1, [2, [3]]] }]] } } }, empty: {}, none: [] },
  'names of every length': Object.fromEntries(
    [1, 2, 31, 32, 55, 56, 57, 63, 64, 65, 200].map((length) => ['n'.repeat(length), length]),
  ),
  'names beyond ASCII': { ä: 1, ñandú: 2, ['ñ'.repeat(28)]: 3, ['ñ'.repeat(29)]: 4, 名前: 5, '🐑': 6 },
  'shared names': {
    rows: Array.from({ length: 60 }, (_, at) => ({ name: `row ${at}`, value: at, flag: at % 2 === 0, nothing: null })),
  },
  'more names than can be shared': {
    rows: Array.from({ length: 3 }, () =>
      Object.fromEntries(Array.from({ length: 1100 }, (_, at) => [`field_${at}`, at])),
    ),
  },
};

import type { Answer } from './transport.ts';

export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  readonly zone: string | undefined;
}

export interface ClusterFacts {
  readonly nodes: readonly ClusterNode[];
  readonly clusterName: string;
  readonly version: string;
  readonly repositoryPath: string | undefined;
}

/** How a response is viewed. */
export interface View {
  /**
   * `body`: every member and value, except what no two clusters share. `shape`: every member and the kind of its value.
   * `text`: the characters, except what no two clusters share. @default body
   */
  readonly as?: 'body' | 'shape' | 'text';
  /** Names of members whose values differ from run to run. */
  readonly varying?: readonly string[];
  /** Names of members that hold a dictionary: the keys do not count, the shapes of the values do. */
  readonly dictionaries?: readonly string[];
}

/** The recorded part of a response. */
export interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Headers that a client may look at. */
const telling = ['content-type', 'x-elastic-product', 'www-authenticate', 'allow', 'location', 'warning'];

export function viewOf(answer: Answer, facts: ClusterFacts, view: View): Recorded {
  const mask = maskOf(facts);
  const headers = Object.fromEntries(
    telling.filter((name) => answer.headers[name] !== undefined).map((name) => [name, mask(answer.headers[name]!)]),
  );
  const seen = { status: answer.status, headers };
  if (answer.bytes.length === 0) return seen;
  if (view.as === 'text' || answer.body === undefined) return { ...seen, body: mask(answer.text) };
  if (view.as === 'shape') return { ...seen, body: [...shapeOf(answer.body, mask, view)].sort() };
  return { ...seen, body: masked(answer.body, mask, new Set(view.varying ?? [])) };
}

/**
 * Masks what no two clusters share: addresses, ids, times, versions, directories. The order of a set differs from one
 * start of Java to the next. The embedded cluster does not report the exact position of a mistake in a body (`[1:15]`,
 * `line`, `col`).
 */
function maskOf({ nodes, clusterName, version, repositoryPath }: ClusterFacts): (text: string) => string {
  const names: [string, string | undefined][] = nodes.flatMap(({ id, name }) => [
    ['<node id>', id],
    ['<node>', name],
  ]);
  names.push(['<version>', version], ['<cluster>', clusterName]);
  // First, for it may hold any of the others.
  names.unshift(['<repository>', repositoryPath]);
  const literals = names.flatMap(([mask, name]) => (name === undefined ? [] : [[wholeWord(name), mask] as const]));
  return (text) => {
    let masked = text;
    for (const [literal, mask] of literals) masked = masked.replace(literal, mask);
    return (
      masked
        .replace(/\[\d+:\d+\] /g, '<place> ')
        .replace(/^299 Elasticsearch-[\w.-]+/g, '299 Elasticsearch-<version>')
        .replace(/\[Content-Type, Accept\]/g, '[Accept, Content-Type]')
        // In the order of a hash table.
        .replace(/(?<=more than one write index \[)[^\]]+/g, (names) => names.split(',').sort().join(','))
        .replace(/(?<=other feature states were requested: \[)[^\]]+/g, (names) => names.split(', ').sort().join(', '))
        .replace(/\{[^{}]*xpack\.installed=true[^{}]*\}/g, '{<attributes>}')
        .replace(
          /free: \[[^\]]*\], used: \[[^\]]*\], shard size: \[[^\]]*\], free after allocating shard: \[[^\]]*\]/g,
          '<disk>',
        )
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
        .replace(/\b(127\.0\.0\.1|10\.\d+\.\d+\.\d+)(:\d+)?/g, '<address>')
        .replace(/(?<![\w-])[\w-]{22}(?![\w-])/g, (id) => (looksRandom(id) ? '<id>' : id))
    );
  };
}

const wholeWord = (name: string) =>
  new RegExp(`(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g');

/** Ids change between small and capital letters, digits and signs all the time; words that happen to have 22 characters do not. */
const looksRandom = (word: string) =>
  /[a-z]/.test(word) &&
  /[A-Z]/.test(word) &&
  (/[\d_-]/.test(word) || [...word.matchAll(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)].length >= 8);

function masked(value: unknown, mask: (text: string) => string, varying: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, mask, varying));
  if (typeof value !== 'object' || value === null) return value;
  // The words are those of the parser.
  if ('type' in value && /^json_/.test(String(value.type))) return { ...value, reason: '<words of the parser>' };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      mask(name),
      varying.has(name) || isMoment(name, member)
        ? `<${kindOf(member)}>`
        : inOrder(name, masked(member, mask, varying)),
    ]),
  );
}

/** Nodes, and indices of a snapshot, come in any order. */
function inOrder(name: string, value: unknown): unknown {
  if (name === 'indices' && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.sort();
  if (name !== 'node_allocation_decisions' || !Array.isArray(value)) return value;
  const keyed = value.map((item) => [JSON.stringify(item), item] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
}

/** Moments and durations are never the same. */
const isMoment = (name: string, value: unknown) =>
  typeof value === 'number' && /(_in_millis|_millis|^took|^line|^col|timestamp|creation|expiration|_at)$/.test(name);

function* shapeOf(
  value: unknown,
  mask: (text: string) => string,
  view: View,
  path = '',
): Generator<string, void, undefined> {
  const seen = new Set<string>();
  for (const line of lines(value, mask, view, path)) if (!seen.has(line) && seen.add(line)) yield line;
}

function* lines(value: unknown, mask: (text: string) => string, view: View, path: string): Generator<string> {
  if (Array.isArray(value)) {
    if (value.length === 0) yield `${path}[]`;
    for (const item of value) yield* lines(item, mask, view, `${path}[]`);
  } else if (typeof value === 'object' && value !== null) {
    const dictionary = (view.dictionaries ?? []).includes(path.split('.').at(-1)!);
    if (Object.keys(value).length === 0) yield `${path} {}`;
    for (const [name, member] of Object.entries(value))
      yield* lines(member, mask, view, `${path}.${dictionary ? '*' : mask(name)}`);
  } else yield `${path} ${kindOf(value)}`;
}

const kindOf = (value: unknown) => (value === null ? 'null' : typeof value);

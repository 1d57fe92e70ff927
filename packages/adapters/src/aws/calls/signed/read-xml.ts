/** The members to read from an XML response; members that no shape names are ignored. */
export type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'time'
  | { readonly listOf: Shape; readonly item: string }
  | { readonly members: Readonly<Record<string, Shape>>; readonly names?: Readonly<Record<string, string>> };

export const listOf = (shape: Shape, item = 'member'): Shape => ({ listOf: shape, item });

/** Members by the names of their elements; `names` says what those are called in the output, where it differs. */
export const members = (
  shapes: Readonly<Record<string, Shape>>,
  names: Readonly<Record<string, string>> = {},
): Shape => ({
  members: shapes,
  names,
});

/** A tag, with the text before it. */
const nextTag = /([^<]*)<(?:\?[^>]*\?|!--[\s\S]*?--|(\/?)([^\s/>]+)[^>]*?(\/?))>/y;

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Reads what a shape names of the first element `root`, at any depth; undefined when the text has no such element. */
export function readXml(text: string, root: string, shape: Shape): unknown {
  const reader = new XmlReader(text);
  return reader.find(root) ? reader.read(shape) : undefined;
}

/** Walks once over the text and keeps only what the shape names: a group of ten thousand instances has megabytes. */
class XmlReader {
  readonly #text: string;
  #at = 0;
  #before = '';
  #name = '';
  #closes = false;
  #empty = false;

  constructor(text: string) {
    this.#text = text;
  }

  find(name: string): boolean {
    while (this.#next()) if (!this.#closes && this.#name === name) return true;
    return false;
  }

  /** The element whose opening tag was just read. */
  read(shape: Shape | undefined): unknown {
    const list: unknown[] = [];
    const found: Record<string, unknown> = {};
    let text = '';
    while (!this.#empty) {
      if (!this.#next()) throw new SyntaxError('the XML ends in the middle');
      text += this.#before;
      if (this.#closes) break;
      const name = this.#name;
      const inner = innerShape(shape, name);
      const value = this.read(inner);
      this.#empty = false;
      if (inner === undefined) continue;
      if (typeof shape === 'object' && 'listOf' in shape) list.push(value);
      else found[outputName(shape, name)] = value;
    }
    if (typeof shape !== 'object') return scalar(text, shape);
    return 'listOf' in shape ? list : found;
  }

  #next(): boolean {
    nextTag.lastIndex = this.#at;
    const match = nextTag.exec(this.#text);
    if (match === null) return false;
    this.#at = nextTag.lastIndex;
    const [, before = '', closes, name, empty] = match;
    if (name === undefined) return this.#next();
    this.#before = before;
    this.#name = name;
    this.#closes = closes === '/';
    this.#empty = empty === '/';
    return true;
  }
}

function innerShape(shape: Shape | undefined, name: string): Shape | undefined {
  if (typeof shape !== 'object') return undefined;
  if ('listOf' in shape) return name === shape.item ? shape.listOf : undefined;
  return shape.members[name];
}

const outputName = (shape: Shape | undefined, name: string) =>
  (typeof shape === 'object' && 'members' in shape ? shape.names?.[name] : undefined) ?? name;

function scalar(text: string, shape: 'text' | 'number' | 'boolean' | 'time' | undefined): unknown {
  if (shape === undefined) return undefined;
  if (shape === 'number') return Number(text);
  if (shape === 'boolean') return text === 'true';
  if (shape === 'time') return new Date(text);
  return text.replaceAll(/&(?:#(x?)([0-9a-f]+)|(\w+));/gi, (whole, hex: string, digits: string, name: string) =>
    digits === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)),
  );
}

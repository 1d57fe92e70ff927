/**
 * A map from text to values of which a frozen view costs nothing: a hash trie whose nodes are copied on write once a
 * view of them exists. Snapshots, refreshes and copies that stayed behind are such views.
 */
export class PersistentMap<V> {
  #root: Branch<V>;
  #size: number;
  /** Nodes that carry this token belong to this map alone and may be changed in place. */
  #owner: object = {};

  private constructor(root: Branch<V>, size: number) {
    this.#root = root;
    this.#size = size;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>({ owner: undefined, bitmap: 0, children: [] }, 0);
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const hash = hashOf(key);
    let node: TrieNode<V> = this.#root;
    for (let shift = 0; ; shift += 5) {
      if ('children' in node) {
        const bit: number = 1 << ((hash >>> shift) & 31);
        if ((node.bitmap & bit) === 0) return undefined;
        node = node.children[bitCount(node.bitmap & (bit - 1))]!;
      } else return node.entries.find((entry) => entry.key === key)?.value;
    }
  }

  set(key: string, value: V): void {
    const added = { count: 0 };
    this.#root = setIn(this.#root, 0, hashOf(key), { key, value }, this.#owner, added) as Branch<V>;
    this.#size += added.count;
  }

  delete(key: string): boolean {
    const removed = { count: 0 };
    this.#root = deleteIn(this.#root, 0, hashOf(key), key, this.#owner, removed) ?? {
      owner: undefined,
      bitmap: 0,
      children: [],
    };
    this.#size -= removed.count;
    return removed.count > 0;
  }

  /** A second map with the same content; from now on each of the two changes alone. */
  fork(): PersistentMap<V> {
    this.#owner = {};
    return new PersistentMap(this.#root, this.#size);
  }

  *values(): Generator<V> {
    const stack: TrieNode<V>[] = [this.#root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if ('children' in node) stack.push(...node.children);
      else for (const entry of node.entries) yield entry.value;
    }
  }
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
}

interface Branch<V> {
  owner: object | undefined;
  bitmap: number;
  children: TrieNode<V>[];
}

/** One entry, or several whose hashes are equal. */
interface Leaf<V> {
  readonly hash: number;
  readonly entries: readonly Entry<V>[];
}

type TrieNode<V> = Branch<V> | Leaf<V>;

function setIn<V>(
  node: Branch<V>,
  shift: number,
  hash: number,
  entry: Entry<V>,
  owner: object,
  added: { count: number },
): Branch<V> {
  const bit = 1 << ((hash >>> shift) & 31);
  const at = bitCount(node.bitmap & (bit - 1));
  const mine = owned(node, owner);
  if ((node.bitmap & bit) === 0) {
    mine.children.splice(at, 0, { hash, entries: [entry] });
    mine.bitmap |= bit;
    added.count = 1;
    return mine;
  }
  const child = mine.children[at]!;
  if ('children' in child) mine.children[at] = setIn(child, shift + 5, hash, entry, owner, added);
  else if (child.hash === hash) mine.children[at] = putInLeaf(child, entry, added);
  else mine.children[at] = setIn(branchOf(child, shift + 5, owner), shift + 5, hash, entry, owner, added);
  return mine;
}

function deleteIn<V>(
  node: Branch<V>,
  shift: number,
  hash: number,
  key: string,
  owner: object,
  removed: { count: number },
): Branch<V> | undefined {
  const bit = 1 << ((hash >>> shift) & 31);
  if ((node.bitmap & bit) === 0) return node;
  const at = bitCount(node.bitmap & (bit - 1));
  const child = node.children[at]!;
  const left =
    'children' in child ? deleteIn(child, shift + 5, hash, key, owner, removed) : dropFromLeaf(child, key, removed);
  if (removed.count === 0) return node;
  const mine = owned(node, owner);
  if (left !== undefined) mine.children[at] = left;
  else {
    mine.children.splice(at, 1);
    mine.bitmap &= ~bit;
  }
  return mine.children.length === 0 ? undefined : mine;
}

function putInLeaf<V>(leaf: Leaf<V>, entry: Entry<V>, added: { count: number }): Leaf<V> {
  const others = leaf.entries.filter((known) => known.key !== entry.key);
  if (others.length === leaf.entries.length) added.count = 1;
  return { hash: leaf.hash, entries: [...others, entry] };
}

function dropFromLeaf<V>(leaf: Leaf<V>, key: string, removed: { count: number }): Leaf<V> | undefined {
  const others = leaf.entries.filter((known) => known.key !== key);
  removed.count = leaf.entries.length - others.length;
  return others.length === 0 ? undefined : { hash: leaf.hash, entries: others };
}

function branchOf<V>(leaf: Leaf<V>, shift: number, owner: object): Branch<V> {
  return { owner, bitmap: 1 << ((leaf.hash >>> shift) & 31), children: [leaf] };
}

function owned<V>(node: Branch<V>, owner: object): Branch<V> {
  return node.owner === owner ? node : { owner, bitmap: node.bitmap, children: node.children.slice() };
}

function bitCount(bits: number): number {
  let v = bits - ((bits >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** FNV-1a with a final mix; 35 bits of shift reach past it, so equal hashes end in one leaf. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

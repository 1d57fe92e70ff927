/** The source of random numbers and ids for every part of Drover. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
  /** A version 4 UUID. */
  uuid(): string;
  /** An independent stream: what one part draws does not move what another part draws. */
  fork(name: string): Random;
}

abstract class Drawing implements Random {
  abstract next(): number;
  abstract fork(name: string): Random;

  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('nothing to pick from: the list is empty');
    return from[this.int(0, from.length - 1)]!;
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits)
      text += Math.floor(this.next() * 0x1000000)
        .toString(16)
        .padStart(6, '0');
    return text.slice(0, digits);
  }

  uuid(): string {
    const h = this.hex(32);
    const variant = '89ab'[parseInt(h[16]!, 16) & 3];
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20)}`;
  }
}

/** Repeatable chance: one seed, one sequence (sfc32). */
export class SeededRandom extends Drawing {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string | number) {
    super();
    this.seed = String(seed);
    [this.#a, this.#b, this.#c] = threeWords(this.seed);
    for (let warmUp = 0; warmUp < 12; warmUp++) this.next();
  }

  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return (t >>> 0) / 0x100000000;
  }

  fork(name: string): Random {
    return new SeededRandom(`${this.seed}/${name}`);
  }
}

/** The machine's own unpredictable chance. */
export class SystemRandom extends Drawing {
  readonly #fill: (words: Uint32Array<ArrayBuffer>) => Uint32Array;

  /** `fill` stands in for the machine's chance. */
  constructor(fill?: (words: Uint32Array<ArrayBuffer>) => Uint32Array) {
    super();
    // The global, unlike `node:crypto`, is loaded when it is first used: commands that start often do not pay for it.
    this.#fill = fill ?? ((words) => crypto.getRandomValues(words));
  }

  next(): number {
    const [high, low] = this.#fill(new Uint32Array(2)) as Uint32Array & [number, number];
    return ((high & 0xffff) * 2 ** 32 + low) / 2 ** 48;
  }

  fork(): Random {
    return this;
  }
}

/** Three different FNV-1a hashes of the seed. */
function threeWords(seed: string): [number, number, number] {
  const hash = (basis: number) => {
    let h = basis;
    for (let i = 0; i < seed.length; i++) h = Math.imul(h ^ seed.charCodeAt(i), 0x01000193);
    return h ^ (h >>> 15);
  };
  return [hash(0x811c9dc5), hash(0x1b873593), hash(0x2545f491)];
}

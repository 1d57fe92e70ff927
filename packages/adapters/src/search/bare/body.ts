import { ChunkedBody } from './chunked-body.ts';
import type { Framing } from './head.ts';
import { CutAnswer } from './malformed-answer.ts';

/** Finds a body's own bytes among those that come, and its end. */
export interface BodyReader {
  /** Everything has come. */
  readonly done: boolean;
  /** Reads `from` up to `to`; leaves the body's bytes at `from`, and answers how many there are. */
  take(bytes: Buffer, from: number, to: number): number;
  /** The connection ended: an error, unless that is the body's end. */
  close(): void;
}

export function bodyReader(framing: Framing): BodyReader {
  if (framing.by === 'chunks') return new ChunkedBody();
  return framing.by === 'length' ? new MeasuredBody(framing.bytes) : new OpenBody();
}

class MeasuredBody implements BodyReader {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  take(_bytes: Buffer, from: number, to: number): number {
    const taken = Math.min(this.#left, to - from);
    this.#left -= taken;
    return taken;
  }

  close(): void {
    if (!this.done) throw new CutAnswer(`${this.#left} bytes of the answer are missing`);
  }
}

/** Ends with the connection. */
class OpenBody implements BodyReader {
  done = false;

  take(_bytes: Buffer, from: number, to: number): number {
    return to - from;
  }

  close(): void {
    this.done = true;
  }
}

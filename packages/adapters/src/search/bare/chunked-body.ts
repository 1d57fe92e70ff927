import type { BodyReader } from './body.ts';
import { parseField } from './head.ts';
import { CutAnswer, MalformedAnswer } from './malformed-answer.ts';

const lineFeed = 10;
/** Sizes stay exact numbers; extensions after them are passed over. */
const sizeLine = /^([0-9a-fA-F]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/;
/** Longest line of each kind, with its end. */
const lineLimits = { size: 4096, afterData: 2, trailer: 16 * 1024 } as const;
const trailerLimit = 100;

/** A body in chunks (RFC 9112, "Chunked Transfer Coding"). Their bytes are moved together, so that one read is one write. */
export class ChunkedBody implements BodyReader {
  done = false;
  #expects: keyof typeof lineLimits = 'size';
  /** The line that has begun. */
  #line = '';
  #left = 0;
  #trailers = 0;

  take(bytes: Buffer, from: number, to: number): number {
    let [at, kept] = [from, from];
    while (at < to && !this.done) {
      if (this.#left === 0) {
        at = this.#readLine(bytes, at, to);
        continue;
      }
      const taken = Math.min(this.#left, to - at);
      if (kept !== at) bytes.copyWithin(kept, at, at + taken);
      [at, kept, this.#left] = [at + taken, kept + taken, this.#left - taken];
    }
    return kept - from;
  }

  close(): void {
    if (!this.done) throw new CutAnswer('the last chunks of the answer are missing');
  }

  /** Answers where it stopped: after the line, or at the end of what has come. */
  #readLine(bytes: Buffer, from: number, to: number): number {
    const limit = lineLimits[this.#expects];
    const reach = Math.min(to, from + limit - this.#line.length);
    const found = bytes.subarray(from, reach).indexOf(lineFeed);
    const end = found < 0 ? reach : from + found + 1;
    this.#line += bytes.toString('latin1', from, end);
    if (found >= 0) this.#endLine();
    else if (this.#line.length >= limit) throw new MalformedAnswer('a line between the chunks is too long');
    return end;
  }

  #endLine(): void {
    if (!this.#line.endsWith('\r\n')) throw new MalformedAnswer('a line between the chunks ends wrongly');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (this.#expects === 'size') this.#beginChunk(line);
    else if (this.#expects === 'trailer') this.#endTrailer(line);
    else this.#expects = 'size';
  }

  #beginChunk(line: string): void {
    const size = sizeLine.exec(line)?.[1];
    if (size === undefined) throw new MalformedAnswer('the size of a chunk is malformed');
    this.#left = Number.parseInt(size, 16);
    this.#expects = this.#left === 0 ? 'trailer' : 'afterData';
  }

  /** Trailers say nothing that we use; they still must be well-formed, or the end may not be the end. */
  #endTrailer(line: string): void {
    if (line === '') this.done = true;
    else if (++this.#trailers > trailerLimit) throw new MalformedAnswer('there are too many trailers');
    else parseField(line);
  }
}

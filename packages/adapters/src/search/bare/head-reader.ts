import { type AnswerHead, parseHead } from './head.ts';
import { MalformedAnswer } from './malformed-answer.ts';

/** The limit of `node:http`. */
const headLimitBytes = 16 * 1024;
const headStart = 'HTTP/1.';
const headEnd = '\r\n\r\n';

/** Gathers the head of an answer from however many pieces it comes in. */
export class HeadReader {
  readonly #method: string;
  #text = '';

  constructor(method: string) {
    this.#method = method;
  }

  /** Reads on; answers the head and where the body begins, or undefined when more is needed. */
  take(bytes: Buffer, from: number, to: number): { readonly head: AnswerHead; readonly bodyAt: number } | undefined {
    const before = this.#text.length;
    this.#text += bytes.toString('latin1', from, Math.min(to, from + headLimitBytes + headEnd.length - before));
    refuseOther(this.#text, before);
    const end = this.#text.indexOf(headEnd, Math.max(0, before - headEnd.length));
    if (end < 0 ? this.#text.length > headLimitBytes : end > headLimitBytes)
      throw new MalformedAnswer(`the head is longer than ${headLimitBytes} bytes`);
    if (end < 0) return undefined;
    const bodyAt = from + end + headEnd.length - before;
    const head = parseHead(this.#text.slice(0, end), this.#method);
    return head.status >= 200 ? { head, bodyAt } : this.#afterInterim(head.status, bytes, bodyAt, to);
  }

  /** An answer of 1xx is a word in between, the true one follows; we never asked to switch protocols (101). */
  #afterInterim(status: number, bytes: Buffer, from: number, to: number) {
    if (status === 101) throw new MalformedAnswer('the protocol was switched without our asking');
    this.#text = '';
    return this.take(bytes, from, to);
  }
}

/** What is not HTTP is refused at once, by what is new of it: the end of a head may never come. */
function refuseOther(text: string, before: number): void {
  if (before < headStart.length && text.slice(0, headStart.length) !== headStart.slice(0, text.length))
    throw new MalformedAnswer('the answer does not begin with HTTP/1');
  const end = text.indexOf(headEnd, Math.max(0, before - headEnd.length));
  if (/[^\r]\n/.test(text.slice(Math.max(0, before - 1), end < 0 ? undefined : end)))
    throw new MalformedAnswer('a line of the head ends without a carriage return');
}

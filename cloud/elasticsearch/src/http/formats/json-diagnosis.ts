/**
 * Diagnoses a text that is not JSON, in the words of Jackson, Elasticsearch's parser. Ends of input and unknown words
 * are as an 8.19.21 server returned them; the other texts are as Jackson documents them, not recorded.
 */
export interface Diagnosis {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** The text ends too early. */
  readonly atEnd: boolean;
}

const value = "JSON String, Number, Array, Object or token 'null', 'true' or 'false'";
const literals = ['true', 'false', 'null'];

/** The first fault of a text; undefined when there is none. */
export function diagnoseJson(text: string): Diagnosis | undefined {
  const reader = new JsonReader(text);
  try {
    reader.document();
    return undefined;
  } catch (fault) {
    if (fault instanceof JsonFault) return reader.place(fault);
    throw fault;
  }
}

class JsonFault extends Error {
  readonly at: number;
  readonly atEnd: boolean;

  constructor(message: string, at: number, atEnd = false) {
    super(message);
    this.at = at;
    this.atEnd = atEnd;
  }
}

class JsonReader {
  #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where a fault is, as Jackson shows it: line and column, and the beginning of the source. */
  place({ message, at, atEnd }: JsonFault): Diagnosis {
    const { line, column } = this.#lineAndColumn(at);
    return { message: `${message}\n at ${this.#source(line, column)}`, line, column, atEnd };
  }

  #lineAndColumn(at: number): { line: number; column: number } {
    const before = this.#text.slice(0, at).split('\n');
    return { line: before.length, column: Buffer.byteLength(before.at(-1)!) + 1 };
  }

  #source(line: number, column: number): string {
    const bytes = Buffer.from(this.#text);
    const rest = bytes.length > 500 ? `[truncated ${bytes.length - 500} bytes]` : '';
    return `[Source: (byte[])"${bytes.subarray(0, 500).toString()}"${rest}; line: ${line}, column: ${column}]`;
  }

  document(): void {
    this.#space();
    this.#value(`expected a valid value (${value})`);
    this.#space();
    if (this.#at < this.#text.length) this.#value(`expected a valid value (${value})`);
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #value(expected: string): void {
    const next = this.#text[this.#at];
    if (next === '{') this.#object();
    else if (next === '[') this.#array();
    else if (next === '"') this.#string('string value');
    else if (next !== undefined && /[-0-9]/.test(next)) this.#number();
    else if (next !== undefined && /[A-Za-z_$]/.test(next)) this.#literal();
    else throw this.#unexpected(expected);
  }

  #object(): void {
    const start = this.#at++;
    this.#space();
    if (this.#text[this.#at] === '}') this.#at += 1;
    else for (let more = true; more; more = this.#separator('}', 'Object', start)) this.#member(start);
  }

  #member(start: number): void {
    this.#space();
    if (this.#at >= this.#text.length) throw this.#unclosed('Object', start);
    if (this.#text[this.#at] !== '"') throw this.#unexpected('was expecting double-quote to start field name');
    this.#string('field name');
    this.#space();
    if (this.#at >= this.#text.length) throw this.#end(' within/between Object entries');
    if (this.#text[this.#at] !== ':') throw this.#unexpected('was expecting a colon to separate field name and value');
    this.#at += 1;
    this.#space();
    if (this.#at >= this.#text.length) throw this.#end(' within/between Object entries');
    this.#value(`expected a valid value (${value})`);
  }

  #array(): void {
    const start = this.#at++;
    this.#space();
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return;
    }
    for (let more = true; more; more = this.#separator(']', 'Array', start)) {
      this.#space();
      if (this.#at >= this.#text.length) throw this.#unclosed('Array', start);
      this.#value(`expected a valid value (${value})`);
    }
  }

  /** After a comma there is more, after the closing mark there is not. */
  #separator(close: '}' | ']', kind: 'Object' | 'Array', start: number): boolean {
    this.#space();
    const next = this.#text[this.#at];
    if (next === undefined) throw this.#unclosed(kind, start);
    if (next !== ',' && next !== close) throw this.#unexpected(`was expecting comma to separate ${kind} entries`);
    this.#at += 1;
    return next === ',';
  }

  #string(what: string): void {
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      const next = this.#text[this.#at];
      if (next === undefined)
        throw this.#end(what === 'field name' ? ' in field name' : `: was expecting closing quote for a ${what}`);
      if (next < ' ')
        throw this.#fault(
          `Illegal unquoted character ((CTRL-CHAR, code ${next.charCodeAt(0)})): has to be escaped using backslash to be included in ${what}`,
        );
      if (next === '\\') this.#at += 1;
    }
    this.#at += 1;
  }

  #number(): void {
    const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/.exec(this.#text.slice(this.#at));
    if (number === null) {
      this.#at += 1;
      throw this.#unexpected('expected digit (0-9) to follow minus sign, for valid numeric value');
    }
    this.#at += number[0].length;
    if (/[\d.A-Za-z]/.test(this.#text[this.#at] ?? ''))
      throw this.#unexpected('Expected space separating root-level values');
  }

  #literal(): void {
    const word = /^[\w$]+/.exec(this.#text.slice(this.#at))![0];
    this.#at += word.length;
    if (!literals.includes(word))
      throw new JsonFault(`Unrecognized token '${word}': was expecting (${value})`, this.#at);
  }

  #unexpected(expected: string): JsonFault {
    const next = this.#text[this.#at];
    if (next === undefined) return this.#end('');
    return this.#fault(`Unexpected character ('${next}' (code ${next.charCodeAt(0)})): ${expected}`);
  }

  #fault(message: string): JsonFault {
    return new JsonFault(message, this.#at + 1);
  }

  #end(how: string): JsonFault {
    return new JsonFault(`Unexpected end-of-input${how}`, this.#text.length, true);
  }

  #unclosed(kind: 'Object' | 'Array', start: number): JsonFault {
    const { line, column } = this.#lineAndColumn(start);
    return this.#end(`: expected close marker for ${kind} (start marker at ${this.#source(line, column)})`);
  }
}

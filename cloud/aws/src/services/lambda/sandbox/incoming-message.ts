import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpResponse } from '@drover/cloud-engine';

/** A response as `node:http` gives it to its caller. */
export class IncomingMessage extends Readable {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string | string[]>;
  readonly rawHeaders: string[];
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly trailers = {};
  readonly socket: unknown;
  complete = false;
  aborted = false;
  #body: Buffer;

  constructor(response: HttpResponse, socket: unknown, bodiless: boolean) {
    super();
    this.statusCode = response.status;
    this.statusMessage = STATUS_CODES[response.status] ?? '';
    this.headers = {};
    for (const [name, value] of Object.entries(response.headers)) this.headers[name.toLowerCase()] = value;
    this.rawHeaders = Object.entries(response.headers).flat();
    this.socket = socket;
    this.#body = bodiless ? Buffer.alloc(0) : Buffer.from(response.body as Uint8Array);
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {
    if (this.complete) return;
    this.complete = true;
    if (this.#body.length > 0) this.push(this.#body);
    this.push(null);
  }
}

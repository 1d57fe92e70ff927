/**
 * A `Response` whose body is there already: status, text and JSON are read without the streams of a `Response` proper, which cost
 * many times what an in-process exchange does. Everything else is asked of one that is made then.
 */
export function quickResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | string | null,
) {
  return new QuickResponse(status, headers, body) as unknown as Response;
}

const utf8 = new TextDecoder();

class QuickResponse {
  readonly status: number;
  readonly #sent: Readonly<Record<string, string>>;
  readonly #content: Uint8Array | string | null;
  #headers: Headers | undefined;
  #proper: Response | undefined;
  #used = false;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: Uint8Array | string | null) {
    this.status = status;
    this.#sent = headers;
    this.#content = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers(this.#sent);
      // As `Response` does for a body that is text.
      if (typeof this.#content === 'string' && !this.#headers.has('content-type'))
        this.#headers.set('content-type', 'text/plain;charset=UTF-8');
    }
    return this.#headers;
  }

  get bodyUsed(): boolean {
    return this.#used || this.#proper?.bodyUsed === true;
  }

  async text(): Promise<string> {
    if (this.#proper !== undefined) return await this.#proper.text();
    if (this.#used) throw new TypeError('Body is unusable');
    this.#used = true;
    // A byte order mark is no part of the text, as with `Response`.
    return typeof this.#content === 'string'
      ? this.#content.replace(/^\uFEFF/, '')
      : utf8.decode(this.#content ?? undefined);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  get statusText(): string {
    return '';
  }

  get body(): Response['body'] {
    return this.#asResponse().body;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asResponse().arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.#asResponse().blob();
  }

  clone(): Response {
    return this.#asResponse().clone();
  }

  #asResponse(): Response {
    if (this.#used) throw new TypeError('Body is unusable');
    const body = this.#content as ConstructorParameters<typeof Response>[0];
    this.#proper ??= new Response(body, { status: this.status, headers: this.#sent });
    return this.#proper;
  }
}

import type { Clock } from '@drover/core';
import type { ArnScope } from '../../account/arn.ts';
import type { S3Neighbour } from '../../account/neighbours.ts';
import type { Credentials } from '../../account/service.ts';

interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** No response came in time, or the stack no longer wants one. */
export class NoAnswer extends Error {
  readonly why: 'timeout' | 'given up';

  constructor(why: 'timeout' | 'given up') {
    super(why);
    this.why = why;
  }
}

/**
 * The inbox for the responses of custom resources and wait conditions: presigned URLs of a bucket that belongs to
 * CloudFormation (User Guide, "Custom resource request and response reference", ResponseURL).
 */
export class ResponseInbox {
  /** Set when responses come from processes that reach this cloud only over HTTP, e.g. `http://127.0.0.1:4566`. */
  endpointUrl: string | undefined;
  readonly #bucket: string;
  readonly #region: string;
  readonly #clock: Clock;
  readonly #credentials: Credentials;
  readonly #received = new Map<string, string[]>();
  readonly #listeners = new Map<string, () => void>();

  constructor(s3: S3Neighbour, scope: ArnScope, clock: Clock, credentials: Credentials) {
    this.#bucket = `cloudformation-custom-resource-response-${scope.region.replaceAll('-', '')}`;
    this.#region = scope.region;
    this.#clock = clock;
    this.#credentials = credentials;
    s3.createForeignBucket(this.#bucket);
    s3.onObjectPut((bucket, key, body) => {
      if (bucket === this.#bucket) this.#receive(key, new TextDecoder().decode(body));
    });
  }

  /** Opens an inbox for responses; the URL is valid for one PUT or many. */
  open(key: string): string {
    this.#received.set(key, []);
    const path = encodeURIComponent(key);
    const host = `${this.#bucket}.s3.${this.#region}.amazonaws.com`;
    const place = this.endpointUrl === undefined ? `https://${host}` : `${this.endpointUrl}/${this.#bucket}`;
    return `${place}/${path}?${this.#query()}`;
  }

  /** The inbox key of a URL that was given out. */
  keyOf(url: string): string {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  }

  close(key: string): void {
    this.#received.delete(key);
    this.#listeners.delete(key);
  }

  /** Waits on the clock until `enough` makes something of the responses so far. */
  waitFor<T>(key: string, enough: (answers: readonly string[]) => T | undefined, options: WaitOptions): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        timer.cancel();
        options.signal?.removeEventListener('abort', giveUp);
        this.#listeners.delete(key);
        act();
      };
      const giveUp = () => end(() => reject(new NoAnswer('given up')));
      const timer = this.#clock.after(options.timeoutMs, () => end(() => reject(new NoAnswer('timeout'))));
      const look = () => {
        const found = attempt(() => enough(this.#received.get(key) ?? []));
        if ('error' in found) end(() => reject(found.error));
        else if (found.value !== undefined) end(() => resolve(found.value!));
      };
      if (options.signal?.aborted === true) return giveUp();
      options.signal?.addEventListener('abort', giveUp, { once: true });
      this.#listeners.set(key, look);
      look();
    });
  }

  #receive(key: string, answer: string): void {
    this.#received.get(key)?.push(answer);
    this.#listeners.get(key)?.();
  }

  #query(): string {
    const now = new Date(this.#clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
    const credential = `${this.#credentials.accessKeyId}/${now.slice(0, 8)}/${this.#region}/s3/aws4_request`;
    return new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': now,
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Expires': '7200',
      'X-Amz-Credential': credential,
      'X-Amz-Signature': '0'.repeat(64),
    }).toString();
  }
}

function attempt<T>(act: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
}

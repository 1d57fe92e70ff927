import type { Clock } from '@drover/core/clock';
import { TransientError } from '@drover/core/errors';
import { releaseFolder, releaseObject } from '@drover/core/names/runner-fleet';
import type { FleetRelease, PublishedRelease, ReleaseMirror } from '@drover/runner-fleet';
import { withinTime } from '../http/within-time.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { jsonObject } from './stored-objects.ts';

type Aws = Pick<AwsCalls, 's3'>;

/** The web that archives are downloaded from. */
interface Web {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

const mostSilenceMs = 30_000;

/** The runner software as a fleet's functions know it; undefined before anything was mirrored. */
export const readRelease = (
  aws: Aws,
  bucket: string,
  object: string = releaseObject,
): Promise<FleetRelease | undefined> => jsonObject<FleetRelease>(aws, bucket, object).read();

/** The runner software in the fleet's own bucket. Its archive goes from GitHub to S3 without ever being in memory as a whole. */
export const releaseMirror = (aws: Aws, bucket: string, web: Web, object: string = releaseObject): ReleaseMirror => ({
  ...jsonObject<FleetRelease>(aws, bucket, object),
  copy: async ({ version, checksum, url, bytes }: PublishedRelease) => {
    const Key = `${releaseFolder}actions-runner-${version}-${checksum}.tar.gz`;
    const Body = { sha256: checksum, length: bytes, open: () => download(web, url) };
    await explained(aws, 's3')('PutObject', { Bucket: bucket, Key, Body, ContentType: 'application/gzip' });
    return Key;
  },
  remove: async (key) => void (await explained(aws, 's3')('DeleteObject', { Bucket: bucket, Key: key })),
});

/** The archive, unless its server is silent for too long: the function would wait out its time, and the first hosts of a fleet with it. */
async function download({ clock, fetch }: Web, url: string): Promise<AsyncIterable<Uint8Array>> {
  const silent = new TransientError(`${url} cannot be fetched: nothing came for ${mostSilenceMs / 1000} s`);
  const abort = new AbortController();
  const inTime = <T>(work: Promise<T>) =>
    withinTime(clock, mostSilenceMs, silent, (signal) => {
      signal.addEventListener('abort', () => abort.abort(silent), { once: true });
      return Promise.race([work, ended(signal)]);
    });
  const asked = fetch(url, { headers: { 'user-agent': 'drover' }, signal: abort.signal });
  const response = await inTime(asked).catch((cause: unknown) => {
    throw cause === silent ? silent : new TransientError(`${url} cannot be fetched`, { cause });
  });
  if (!response.ok || response.body === null) throw new TransientError(`${url} cannot be fetched: ${response.status}`);
  return chunks(response.body as AsyncIterable<Uint8Array>, inTime);
}

async function* chunks<T>(body: AsyncIterable<T>, inTime: <R>(work: Promise<R>) => Promise<R>): AsyncIterable<T> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTime(iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not waited for: a connection that is silent may not even end.
    iterator.return?.().catch(() => {});
  }
}

const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

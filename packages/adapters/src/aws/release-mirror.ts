import { TransientError } from '@drover/core/errors';
import { releaseFolder, releaseObject } from '@drover/core/names/runner-fleet';
import type { FleetRelease, PublishedRelease, ReleaseMirror } from '@drover/runner-fleet';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { jsonObject } from './stored-objects.ts';

type Aws = Pick<AwsCalls, 's3'>;

/** The runner software as a fleet's functions know it; undefined before anything was mirrored. */
export const readRelease = (aws: Aws, bucket: string): Promise<FleetRelease | undefined> =>
  jsonObject<FleetRelease>(aws, bucket, releaseObject).read();

/** The runner software in the fleet's own bucket. Its archive goes from GitHub to S3 without ever being in memory as a whole. */
export const releaseMirror = (
  aws: Aws,
  bucket: string,
  send: typeof fetch,
  object: string = releaseObject,
): ReleaseMirror => ({
  ...jsonObject<FleetRelease>(aws, bucket, object),
  copy: async ({ version, checksum, url, bytes }: PublishedRelease) => {
    const Key = `${releaseFolder}actions-runner-${version}-${checksum}.tar.gz`;
    const Body = { sha256: checksum, length: bytes, open: () => download(send, url) };
    await explained(aws, 's3')('PutObject', { Bucket: bucket, Key, Body, ContentType: 'application/gzip' });
    return Key;
  },
  remove: async (key) => void (await explained(aws, 's3')('DeleteObject', { Bucket: bucket, Key: key })),
});

async function download(send: typeof fetch, url: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await send(url, { headers: { 'user-agent': 'drover' } }).catch((cause: unknown) => {
    throw new TransientError(`${url} cannot be fetched`, { cause });
  });
  if (!response.ok || response.body === null) throw new TransientError(`${url} cannot be fetched: ${response.status}`);
  return response.body as AsyncIterable<Uint8Array>;
}

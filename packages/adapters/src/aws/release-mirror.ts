import { TransientError } from '@drover/core/errors';
import { releaseFolder, releaseObject } from '@drover/core/names/runner-fleet';
import type { FleetRelease, PublishedRelease, ReleaseMirror } from '@drover/runner-fleet';
import type { AwsCalls } from './calls/calls.ts';
import { awsCode, explained } from './calls/errors.ts';

type Aws = Pick<AwsCalls, 's3'>;

/** The runner software as a fleet's functions know it; undefined before anything was mirrored. */
export const readRelease = async (aws: Aws, bucket: string): Promise<FleetRelease | undefined> => {
  try {
    const { Body } = await explained(aws, 's3')('GetObject', { Bucket: bucket, Key: releaseObject });
    return JSON.parse(Body) as FleetRelease;
  } catch (error) {
    if (/^(NoSuchKey|Http404)$/.test(awsCode(error))) return undefined;
    throw error;
  }
};

/** The runner software in the fleet's own bucket. Its archive goes from GitHub to S3 without ever being in memory as a whole. */
export const releaseMirror = (aws: Aws, bucket: string, send: typeof fetch): ReleaseMirror => ({
  read: () => readRelease(aws, bucket),
  write: async (release) => {
    const object = { Bucket: bucket, Key: releaseObject, ContentType: 'application/json' };
    await explained(aws, 's3')('PutObject', { ...object, Body: JSON.stringify(release) });
  },
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

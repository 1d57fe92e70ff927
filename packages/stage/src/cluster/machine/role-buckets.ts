import type { Caller } from '@drover/cloud-aws';
import type { OpenStore } from '@drover/cloud-elasticsearch';
import type { World } from '@drover/cloud-world';

async function unless<T, Other>(code: string, otherwise: Other, act: () => Promise<T>): Promise<T | Other> {
  try {
    return await act();
  } catch (error) {
    const { name, code: found } = error as { readonly name?: string; readonly code?: string };
    if (name === code || found === code) return otherwise;
    throw error;
  }
}

/** Snapshot repositories in the embedded S3; each node uses its own instance's role. */
export function roleStores(world: World, callerOf: (nodeId: string) => Caller): OpenStore {
  return ({ type, settings }, node) => {
    if (type !== 's3') throw new Error(`repository type ${type} is not there on these machines`);
    const Bucket = settings.bucket;
    const call = (operation: string, input: object) =>
      world.aws.call('s3', operation, { Bucket, ...input }, callerOf(node.id)) as Promise<never>;
    return {
      put: async (Key, Body) => void (await call('PutObject', { Key, Body })),
      get: (Key) =>
        unless('NoSuchKey', undefined, async () => ((await call('GetObject', { Key })) as { Body: Uint8Array }).Body),
      list: (Prefix) => listAll(call, Prefix),
      delete: async (keys) => {
        for (const Key of keys) await call('DeleteObject', { Key });
      },
    };
  };
}

const pageLimit = 1_000;

async function listAll(
  call: (operation: string, input: object) => Promise<never>,
  Prefix: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let ContinuationToken: string | undefined;
  for (let page = 0; page < pageLimit; page++) {
    const input = { Prefix, ...(ContinuationToken === undefined ? {} : { ContinuationToken }) };
    const answer = (await call('ListObjectsV2', input)) as {
      Contents?: readonly { readonly Key: string }[];
      NextContinuationToken?: string;
    };
    keys.push(...(answer.Contents ?? []).map(({ Key }) => Key));
    ContinuationToken = answer.NextContinuationToken;
    if (ContinuationToken === undefined) break;
  }
  return keys;
}

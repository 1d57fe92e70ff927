import type { Caller } from '@drover/cloud-aws';
import type { OpenStore } from '@drover/cloud-elasticsearch';
import type { World } from '@drover/cloud-world';
import type { Settings } from './node-settings.ts';

async function unless<T, Other>(code: string, otherwise: Other, act: () => Promise<T>): Promise<T | Other> {
  try {
    return await act();
  } catch (error) {
    const { name, code: found } = error as { readonly name?: string; readonly code?: string };
    if (name === code || found === code) return otherwise;
    throw error;
  }
}

/** Where buckets are, and the clients that nodes have for them. */
export interface BucketPlaces {
  /** Of buckets that are not in the region of the nodes. */
  readonly regions: Readonly<Record<string, string>>;
  /** Those of a node, with their settings. */
  clientsOf(nodeId: string): Settings;
}

/** Snapshot repositories in the embedded S3; each node uses its own instance's role. */
export function roleStores(world: World, callerOf: (nodeId: string) => Caller, places?: BucketPlaces): OpenStore {
  return ({ type, settings }, node) => {
    if (type !== 's3') throw new Error(`repository type ${type} is not there on these machines`);
    const Bucket = settings.bucket;
    if (places !== undefined) checkClient(world.aws.region, places, settings, node.id);
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

/** A node knows the clients of its settings alone, and each of them reaches buckets of one region. */
function checkClient(
  ownRegion: string,
  { regions, clientsOf }: BucketPlaces,
  { bucket = '', client = 'default' }: Readonly<Record<string, string>>,
  nodeId: string,
): void {
  const settings = clientsOf(nodeId);
  const known = Object.keys(settings).some((key) => key.startsWith(`s3.client.${client}.`));
  if (client !== 'default' && !known)
    throw new Error(`Unknown s3 client name [${client}]. Existing client configs: default`);
  const region = settings[`s3.client.${client}.region`] ?? ownRegion;
  if (region !== (regions[bucket] ?? ownRegion))
    throw new Error(
      'The bucket you are attempting to access must be addressed using the specified endpoint (PermanentRedirect)',
    );
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

import { TransientError } from '@drover/core/errors';
import {
  deploymentObject,
  drillObject,
  growthObject,
  stateObjects as keys,
  recoveryObject,
  roomObject,
  softwareObject,
  spreadObject,
  upgradeObject,
} from '@drover/core/names/search-cluster';
import type { FleetMemory, Memory } from '@drover/runner-fleet';
import type {
  AwaitedDeployment,
  DrillState,
  RecoveryNote,
  SoftwarePointer,
  SpreadNote,
  UpgradeIntent,
  UpgradeIntents,
} from '@drover/search-cluster';
import type {
  AwaitedDeployments,
  GrowthNotes,
  RoomNotes,
  SpreadNotes,
  StateObjects,
} from '@drover/search-cluster/ports';
import type { DrillNotes, RecoveryNotes } from '@drover/search-cluster/snapshot-ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained, hasCode } from './calls/errors.ts';

type Aws = Pick<AwsCalls, 's3'>;

/** Another write was faster: the condition does not hold (any more), or both came in the same moment. */
const lostRace = hasCode(/^(PreconditionFailed|ConditionalRequestConflict|OperationAborted|Http412|Http409)$/);
export const isAbsent = hasCode(/^(NoSuchKey|Http404)$/);

/** A JSON document in a bucket, as text. A 404 without S3's own code may come from something else, and is no "absent". */
const textObject = (aws: Aws, Bucket: string, Key: string) => {
  const s3 = explained(aws, 's3');
  const put = { Bucket, Key, ContentType: 'application/json' };
  return {
    /** Undefined when it does not exist. */
    read: async () => (await s3('GetObject', { Bucket, Key }).catch(instead(hasCode(/^NoSuchKey$/), undefined)))?.Body,
    /** Returns whether it did not exist before. */
    create: (Body: string) =>
      s3('PutObject', { ...put, Body, IfNoneMatch: '*' })
        .then(() => true)
        .catch(instead(lostRace, false)),
    write: async (Body: string) => void (await s3('PutObject', { ...put, Body })),
  };
};

/** Objects that are created once and never changed, in a search cluster's state bucket. */
export const stateObjects = (aws: Aws, bucket: string): StateObjects => ({
  read: (name) => textObject(aws, bucket, keys[name]).read(),
  create: (name, text) => textObject(aws, bucket, keys[name]).create(text),
});

/** Intents of upgrades, in the state bucket. */
export const upgradeIntents = (aws: Aws, bucket: string): UpgradeIntents => ({
  read: (to) => jsonObject<UpgradeIntent>(aws, bucket, upgradeObject(to)).read(),
  create: (intent) => textObject(aws, bucket, upgradeObject(intent.to)).create(JSON.stringify(intent)),
});

/** A JSON object in a bucket that is written again and again. */
export const jsonObject = <T>(aws: Aws, bucket: string, key: string) => ({
  /** Undefined when it does not exist. */
  read: async (): Promise<T | undefined> => {
    const text = await textObject(aws, bucket, key).read();
    return text === undefined ? undefined : (JSON.parse(text) as T);
  },
  write: (value: T) => textObject(aws, bucket, key).write(JSON.stringify(value)),
});

/** The same, written only if no one else has written since it was read. */
export const conditionalObject = <T>(aws: Aws, Bucket: string, Key: string) => {
  const s3 = explained(aws, 's3');
  let etag: string | undefined;
  return {
    read: async (): Promise<T | undefined> => {
      const found = await s3('GetObject', { Bucket, Key }).catch(instead(hasCode(/^NoSuchKey$/), undefined));
      etag = found?.ETag;
      return found === undefined ? undefined : (JSON.parse(found.Body) as T);
    },
    write: async (value: T): Promise<boolean> => {
      const condition = etag === undefined ? ({ IfNoneMatch: '*' } as const) : { IfMatch: etag };
      const put = { Bucket, Key, Body: JSON.stringify(value), ContentType: 'application/json', ...condition };
      const written = await s3('PutObject', put).catch(instead(lostRace, undefined));
      etag = written?.ETag;
      return written !== undefined;
    },
  };
};

/** Copies an object within S3. */
export async function copyArchive(
  aws: Aws,
  from: { readonly Bucket: string; readonly Key: string },
  to: { readonly Bucket: string; readonly Key: string },
): Promise<void> {
  const CopySource = [from.Bucket, ...from.Key.split('/')].map(encodeURIComponent).join('/');
  await explained(aws, 's3')('CopyObject', { ...to, CopySource });
}

/** The pointer to the software of a cluster's nodes, in the state bucket. */
export const softwarePointer = (aws: Aws, bucket: string) => ({
  ...jsonObject<SoftwarePointer>(aws, bucket, softwareObject),
  /** Writes what `decide` makes of the pointer that is there; two writers do not overwrite each other. */
  change: async (decide: (current: SoftwarePointer | undefined) => SoftwarePointer): Promise<SoftwarePointer> => {
    const object = { Bucket: bucket, Key: softwareObject };
    const found = await explained(aws, 's3')('GetObject', object).catch(instead(hasCode(/^NoSuchKey$/), undefined));
    const current = found === undefined ? undefined : (JSON.parse(found.Body) as SoftwarePointer);
    const next = decide(current);
    if (next === current) return next;
    const condition = found?.ETag === undefined ? ({ IfNoneMatch: '*' } as const) : { IfMatch: found.ETag };
    const Body = JSON.stringify(next);
    await explained(aws, 's3')('PutObject', { ...object, Body, ContentType: 'application/json', ...condition });
    return next;
  },
});

/** The record of restore drills, in the state bucket. */
export const drillNotes = (aws: Aws, bucket: string): DrillNotes => jsonObject<DrillState>(aws, bucket, drillObject);

/** The last attempt to spread the masters over the zones again, in the state bucket. */
export const spreadNotes = (aws: Aws, bucket: string): SpreadNotes => jsonObject<SpreadNote>(aws, bucket, spreadObject);

/** The size that the volumes of data nodes were grown to, in the state bucket. */
export const growthNotes = (aws: Aws, bucket: string): GrowthNotes => jsonObject(aws, bucket, growthObject);

/** The room on the disks of each group, in the state bucket. */
export const roomNotes = (aws: Aws, bucket: string): RoomNotes => jsonObject(aws, bucket, roomObject);

/** How far recoveries have come, in the state bucket. */
export const recoveryNotes = (aws: Aws, bucket: string): RecoveryNotes => ({
  read: (clusterUuid) => jsonObject<RecoveryNote>(aws, bucket, recoveryObject(clusterUuid)).read(),
  write: (clusterUuid, note) => jsonObject<RecoveryNote>(aws, bucket, recoveryObject(clusterUuid)).write(note),
});

/** The part of an HTTP client that is needed to respond to CloudFormation. */
export type PutText = (url: string, body: string) => Promise<{ readonly status: number }>;

/** The deployment that waits for a search cluster, in its state bucket; `put` sends the response. */
export const awaitedDeployments = (aws: Aws, bucket: string, put: PutText): AwaitedDeployments => ({
  ...jsonObject<AwaitedDeployment>(aws, bucket, deploymentObject),
  answer: async ({ responseUrl, response }, failure) => {
    const result = failure === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: failure };
    const { status } = await put(responseUrl, JSON.stringify({ ...result, ...response }));
    if (status >= 300) throw new TransientError(`CloudFormation's response address returned ${status}`);
  },
});

/** The object that is a fleet's memory. */
export interface MemoryObject {
  readonly bucket: string;
  readonly key: string;
}

interface Known {
  readonly memory: Memory;
  readonly etag: string | undefined;
}

/** Lost races against another invocation before this one gives up. */
const mostAttempts = 5;

/** One S3 object, written only if it has not changed since it was read. A lost or unreadable object is an empty memory. */
export function s3FleetMemory(aws: Aws, object: MemoryObject, empty: Memory): FleetMemory {
  let known: Known | undefined;
  return {
    async read() {
      known = await load(aws, object, empty);
      return known.memory;
    },
    async update(change) {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        known ??= await load(aws, object, empty);
        const memory = change(known.memory);
        const etag = await store(aws, object, memory, known.etag);
        known = etag === undefined ? undefined : { memory, etag };
        if (known !== undefined) return;
      }
      throw new TransientError(
        `the fleet memory s3://${object.bucket}/${object.key} changed ${mostAttempts} times while writing`,
      );
    },
  };
}

async function load(aws: Aws, { bucket, key }: MemoryObject, empty: Memory): Promise<Known> {
  const isLost = hasCode(/^(NoSuchKey|NoSuchBucket|Http404)$/);
  const found = await aws.s3('GetObject', { Bucket: bucket, Key: key }).catch(instead(isLost, undefined));
  return found === undefined
    ? { memory: empty, etag: undefined }
    : { memory: parse(found.Body, empty), etag: found.ETag };
}

/** The new ETag; undefined when another invocation wrote since the object was read. */
async function store(
  aws: Aws,
  { bucket, key }: MemoryObject,
  memory: Memory,
  etag: string | undefined,
): Promise<string | undefined> {
  const object = { Bucket: bucket, Key: key, Body: JSON.stringify(memory), ContentType: 'application/json' };
  const condition = etag === undefined ? ({ IfNoneMatch: '*' } as const) : { IfMatch: etag };
  const written = aws.s3('PutObject', { ...object, ...condition });
  // Absent: deleted since it was read.
  return (await written.catch(instead((error) => lostRace(error) || isAbsent(error), undefined)))?.ETag;
}

function parse(text: string, empty: Memory): Memory {
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Memory>) };
  } catch {
    return empty;
  }
}

import { TransientError } from '@drover/core/errors';
import {
  deploymentObject,
  drillObject,
  stateObjects as keys,
  recoveryObject,
  spreadObject,
  upgradeObject,
} from '@drover/core/names/search-cluster';
import type { FleetMemory, Memory } from '@drover/runner-fleet';
import type {
  AwaitedDeployment,
  DrillState,
  RecoveryNote,
  SpreadNote,
  UpgradeIntent,
  UpgradeIntents,
} from '@drover/search-cluster';
import type { AwaitedDeployments, SpreadNotes, StateObjects } from '@drover/search-cluster/ports';
import type { DrillNotes, RecoveryNotes } from '@drover/search-cluster/snapshot-ports';
import type { AwsCalls } from './calls/calls.ts';
import { awsCode, explained } from './calls/errors.ts';

type Aws = Pick<AwsCalls, 's3'>;

/** Another write was faster: the condition does not hold (any more), or both came in the same moment. */
const lostRace = (error: unknown) =>
  /^(PreconditionFailed|ConditionalRequestConflict|OperationAborted|Http412|Http409)$/.test(awsCode(error));

/** Objects that are created once and never changed, in a search cluster's state bucket. */
export function stateObjects(aws: Aws, bucket: string): StateObjects {
  const s3 = explained(aws, 's3');
  return {
    read: async (name) => {
      try {
        return (await s3('GetObject', { Bucket: bucket, Key: keys[name] })).Body;
      } catch (error) {
        if (awsCode(error) === 'NoSuchKey') return undefined;
        throw error;
      }
    },
    create: async (name, text) => {
      const object = { Bucket: bucket, Key: keys[name], Body: text, ContentType: 'application/json' };
      try {
        await s3('PutObject', { ...object, IfNoneMatch: '*' });
        return true;
      } catch (error) {
        if (lostRace(error)) return false;
        throw error;
      }
    },
  };
}

/** Intents of upgrades, in the state bucket. */
export const upgradeIntents = (aws: Aws, bucket: string): UpgradeIntents => ({
  read: (to) => jsonObject<UpgradeIntent>(aws, bucket, upgradeObject(to)).read(),
  create: async (intent) => {
    const object = { Bucket: bucket, Key: upgradeObject(intent.to), ContentType: 'application/json' };
    try {
      await explained(aws, 's3')('PutObject', { ...object, Body: JSON.stringify(intent), IfNoneMatch: '*' });
      return true;
    } catch (error) {
      if (lostRace(error)) return false;
      throw error;
    }
  },
});

/** An object of the state bucket that is written again and again. */
const jsonObject = <T>(aws: Aws, bucket: string, key: string) => ({
  /** Undefined when it does not exist. */
  read: async (): Promise<T | undefined> => {
    try {
      return JSON.parse((await explained(aws, 's3')('GetObject', { Bucket: bucket, Key: key })).Body) as T;
    } catch (error) {
      if (awsCode(error) === 'NoSuchKey') return undefined;
      throw error;
    }
  },
  write: async (value: T): Promise<void> => {
    const object = { Bucket: bucket, Key: key, ContentType: 'application/json' };
    await explained(aws, 's3')('PutObject', { ...object, Body: JSON.stringify(value) });
  },
});

/** The record of restore drills, in the state bucket. */
export const drillNotes = (aws: Aws, bucket: string): DrillNotes => jsonObject<DrillState>(aws, bucket, drillObject);

/** The last attempt to spread the masters over the zones again, in the state bucket. */
export const spreadNotes = (aws: Aws, bucket: string): SpreadNotes => jsonObject<SpreadNote>(aws, bucket, spreadObject);

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
  try {
    const { Body, ETag } = await aws.s3('GetObject', { Bucket: bucket, Key: key });
    return { memory: parse(Body, empty), etag: ETag };
  } catch (error) {
    if (/^(NoSuchKey|NoSuchBucket|Http404)$/.test(awsCode(error))) return { memory: empty, etag: undefined };
    throw error;
  }
}

/** The new ETag; undefined when another invocation wrote since the object was read. */
async function store(
  aws: Aws,
  { bucket, key }: MemoryObject,
  memory: Memory,
  etag: string | undefined,
): Promise<string | undefined> {
  const object = { Bucket: bucket, Key: key, Body: JSON.stringify(memory), ContentType: 'application/json' };
  try {
    const { ETag } = await aws.s3('PutObject', {
      ...object,
      ...(etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }),
    });
    return ETag;
  } catch (error) {
    // Deleted since it was read.
    if (lostRace(error) || /^(NoSuchKey|Http404)$/.test(awsCode(error))) return undefined;
    throw error;
  }
}

function parse(text: string, empty: Memory): Memory {
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Memory>) };
  } catch {
    return empty;
  }
}

import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { TransientError } from '@drover/core';
import type { FleetMemory, Memory } from '@drover/runner-fleet';

interface Known {
  readonly memory: Memory;
  readonly etag: string | undefined;
}

/** Another invocation may be faster so often before this one gives up. */
const mostTries = 5;

/** One S3 object, written only if nobody else wrote in between. A lost or unreadable object is an empty memory. */
export function s3FleetMemory(
  client: Pick<S3Client, 'send'>,
  place: { readonly bucket: string; readonly key: string },
  empty: Memory,
): FleetMemory {
  const at = { Bucket: place.bucket, Key: place.key };
  let known: Known | undefined;

  async function load(): Promise<Known> {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand(at));
      return {
        memory: parse(await (Body as { transformToString(): Promise<string> }).transformToString(), empty),
        etag: ETag,
      };
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return { memory: empty, etag: undefined };
      throw error;
    }
  }

  return {
    async read() {
      known = await load();
      return known.memory;
    },
    async update(change) {
      for (let attempt = 0; attempt < mostTries; attempt++) {
        known ??= await load();
        const memory = change(known.memory);
        const condition = known.etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: known.etag };
        try {
          const { ETag } = await client.send(
            new PutObjectCommand({ ...at, ...condition, Body: JSON.stringify(memory) }),
          );
          known = { memory, etag: ETag };
          return;
        } catch (error) {
          known = undefined;
          if (!/PreconditionFailed|ConditionalRequestConflict|NoSuchKey/.test((error as Error).name)) throw error;
        }
      }
      throw new TransientError(
        `the fleet memory s3://${place.bucket}/${place.key} changed ${mostTries} times while writing`,
      );
    },
  };
}

function parse(text: string, empty: Memory): Memory {
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Memory>) };
  } catch {
    return empty;
  }
}

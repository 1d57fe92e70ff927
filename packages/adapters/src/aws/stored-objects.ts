import { TransientError } from '@drover/core';
import type { FleetMemory, Memory } from '@drover/runner-fleet';
import { awsFailure, dnsSuffix, type SdkNeighbour, sendSigned } from './signed-request.ts';

/** The object that is a fleet's memory. */
export interface MemoryPlace {
  readonly neighbour: SdkNeighbour;
  readonly bucket: string;
  readonly key: string;
  /** @default the region's own */
  readonly endpoint?: string | undefined;
}

interface Known {
  readonly memory: Memory;
  readonly etag: string | undefined;
}

/** Another invocation may be faster so often before this one gives up. */
const mostTries = 5;

/** One S3 object, written only if nobody else wrote in between. A lost or unreadable object is an empty memory. */
export function s3FleetMemory(place: MemoryPlace, empty: Memory): FleetMemory {
  let known: Known | undefined;
  return {
    async read() {
      known = await load(place, empty);
      return known.memory;
    },
    async update(change) {
      for (let attempt = 0; attempt < mostTries; attempt++) {
        known ??= await load(place, empty);
        const memory = change(known.memory);
        const etag = await store(place, memory, known.etag);
        known = etag === undefined ? undefined : { memory, etag };
        if (known !== undefined) return;
      }
      throw new TransientError(
        `the fleet memory s3://${place.bucket}/${place.key} changed ${mostTries} times while writing`,
      );
    },
  };
}

async function load(place: MemoryPlace, empty: Memory): Promise<Known> {
  const answer = await call(place, 'GET', {});
  if (answer.status === 404) return { memory: empty, etag: undefined };
  if (answer.status >= 300) throw awsFailure(answer, 'reading the fleet memory');
  return { memory: parse(answer.body, empty), etag: answer.headers.etag };
}

/** The new ETag; undefined when somebody else wrote in between. */
async function store(place: MemoryPlace, memory: Memory, etag: string | undefined): Promise<string | undefined> {
  const condition: Record<string, string> = etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag };
  const answer = await call(place, 'PUT', { ...condition, 'content-type': 'application/json' }, JSON.stringify(memory));
  if (answer.status === 412 || answer.status === 409 || answer.status === 404) return undefined;
  if (answer.status >= 300) throw awsFailure(answer, 'writing the fleet memory');
  return answer.headers.etag;
}

async function call(place: MemoryPlace, method: string, headers: Record<string, string>, body?: string) {
  const region = await place.neighbour.config.region();
  const host = `s3.${region}.${dnsSuffix(region)}`;
  const path = `/${place.bucket}/${place.key}`;
  const request = { service: 's3', method, host, path, headers, ...(body === undefined ? {} : { body }) };
  return await sendSigned(place.neighbour, request, place.endpoint);
}

function parse(text: string, empty: Memory): Memory {
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Memory>) };
  } catch {
    return empty;
  }
}

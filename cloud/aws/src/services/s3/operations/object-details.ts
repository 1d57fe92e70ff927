import type { ObjectDetails } from '../state.ts';
import type { Checksums } from './checksums.ts';
import type { WriteConditions } from './conditional.ts';

/** Which object a request is about. */
export interface ObjectInput {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

/** Members of a request about the object that it writes. */
export interface PutObjectInput extends ObjectInput, WriteConditions, Checksums {
  readonly Body?: Uint8Array | string;
  readonly ContentType?: string;
  readonly ContentEncoding?: string;
  readonly CacheControl?: string;
  readonly ContentDisposition?: string;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly ContentMD5?: string;
  readonly ACL?: string;
  readonly StorageClass?: string;
  readonly ServerSideEncryption?: string;
  readonly SSEKMSKeyId?: string;
}

/** The bytes of a request's body. */
export const bytesOf = (body: Uint8Array | string | undefined): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array(0));

/** The details that are kept with the object. */
export const detailsOf = (input: PutObjectInput): ObjectDetails => ({
  ...(input.ContentType === undefined ? {} : { contentType: input.ContentType }),
  ...(input.ContentEncoding === undefined ? {} : { contentEncoding: input.ContentEncoding }),
  ...(input.CacheControl === undefined ? {} : { cacheControl: input.CacheControl }),
  ...(input.ContentDisposition === undefined ? {} : { contentDisposition: input.ContentDisposition }),
  ...(input.Metadata === undefined ? {} : { metadata: input.Metadata }),
});

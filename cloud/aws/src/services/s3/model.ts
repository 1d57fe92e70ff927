import { createHash } from 'node:crypto';
import type { Checksums } from './operations/checksums.ts';

/** One version of an object, or the marker of its deletion. */
export interface ObjectVersion {
  readonly key: string;
  /** `null` as text for objects of a bucket without versioning. */
  readonly versionId: string;
  readonly deleteMarker: boolean;
  readonly body: Uint8Array;
  /** With its quotes, as on the wire. */
  readonly etag: string;
  readonly lastModified: number;
  readonly contentType: string;
  readonly contentEncoding?: string;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** As the bucket's setting was when it was written. */
  readonly encryption?: ObjectEncryption;
  /** Those that the writer sent. */
  readonly checksums?: Checksums;
}

/** Headers that show how an object is encrypted. */
export interface ObjectEncryption {
  readonly ServerSideEncryption: string;
  /** A customer's key. */
  readonly SSEKMSKeyId?: string;
}

export type VersioningStatus = 'Enabled' | 'Suspended';

export interface Bucket {
  readonly name: string;
  readonly createdAt: number;
  /** Belongs to another account: it is not listed. */
  readonly foreign: boolean;
  versioning: VersioningStatus | undefined;
  /** Policy, encryption and the other settings that are stored and described, by their operation's noun. */
  readonly settings: Map<string, unknown>;
  /** Newest version first. */
  readonly objects: Map<string, ObjectVersion[]>;
}

/** The MD5 of the body in quotes, as S3 gives it for objects that were not uploaded in parts. */
export const etagOf = (body: Uint8Array): string => `"${createHash('md5').update(body).digest('hex')}"`;

/** The version that a read without a version id sees. */
export function currentVersion(bucket: Bucket, key: string): ObjectVersion | undefined {
  const newest = bucket.objects.get(key)?.[0];
  return newest === undefined || newest.deleteMarker ? undefined : newest;
}

/** User Guide, "General purpose bucket naming rules". */
export const isValidBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes('..') && !/^\d+\.\d+\.\d+\.\d+$/.test(name);

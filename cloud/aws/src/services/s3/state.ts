import type { Clock, Random } from '@drover/core';
import { bucketAlreadyOwnedByYou, bucketNotEmpty, invalidBucketName, noSuchBucket } from './errors.ts';
import { type Bucket, etagOf, isValidBucketName, type ObjectVersion } from './model.ts';

/** Details that the writer of an object may set. */
export type ObjectDetails = Partial<
  Pick<
    ObjectVersion,
    'contentType' | 'contentEncoding' | 'cacheControl' | 'contentDisposition' | 'metadata' | 'checksums' | 'encryption'
  >
>;

type ObjectListener = (bucket: string, key: string, body: Uint8Array) => void;

/** Buckets and their objects. */
export class Storage {
  readonly buckets = new Map<string, Bucket>();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #listeners = new Set<ObjectListener>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  bucket(name: string): Bucket {
    const bucket = this.buckets.get(name);
    if (bucket === undefined) throw noSuchBucket(name);
    return bucket;
  }

  createBucket(name: string, options: { foreign?: boolean } = {}): Bucket {
    if (!isValidBucketName(name)) throw invalidBucketName(name);
    if (this.buckets.has(name)) throw bucketAlreadyOwnedByYou(name);
    const bucket: Bucket = {
      name,
      foreign: options.foreign ?? false,
      createdAt: this.#clock.now(),
      versioning: undefined,
      settings: new Map(),
      objects: new Map(),
    };
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** Versions and delete markers count as content too. */
  deleteBucket(name: string): void {
    if (this.bucket(name).objects.size > 0) throw bucketNotEmpty(name);
    this.buckets.delete(name);
  }

  put(bucket: Bucket, key: string, body: Uint8Array, details: ObjectDetails = {}): ObjectVersion {
    const version = this.#version(bucket, key, {
      deleteMarker: false,
      body: body.slice(),
      etag: etagOf(body),
      contentType: 'binary/octet-stream',
      metadata: {},
      ...details,
    });
    this.#add(bucket, version);
    for (const listener of this.#listeners) listener(bucket.name, key, version.body);
    return version;
  }

  /** Without versioning the object is gone; with it, a marker hides the older versions. */
  delete(bucket: Bucket, key: string): ObjectVersion | undefined {
    if (bucket.versioning === undefined) {
      bucket.objects.delete(key);
      return undefined;
    }
    const body = new Uint8Array(0);
    const marker = { deleteMarker: true, body, etag: '', contentType: '', metadata: {} };
    const version = this.#version(bucket, key, marker);
    this.#add(bucket, version);
    return version;
  }

  /** Removes one version for good. */
  deleteVersion(bucket: Bucket, key: string, versionId: string): ObjectVersion | undefined {
    const versions = bucket.objects.get(key) ?? [];
    const removed = versions.find((each) => each.versionId === versionId);
    const left = versions.filter((each) => each !== removed);
    if (left.length === 0) bucket.objects.delete(key);
    else bucket.objects.set(key, left);
    return removed;
  }

  /** Calls `listener` for every object that is written. */
  onPut(listener: ObjectListener): void {
    this.#listeners.add(listener);
  }

  #version(
    bucket: Bucket,
    key: string,
    rest: Omit<ObjectVersion, 'key' | 'versionId' | 'lastModified'>,
  ): ObjectVersion {
    const versionId = bucket.versioning === 'Enabled' ? this.#random.hex(32) : 'null';
    return { key, versionId, lastModified: this.#clock.now(), ...rest };
  }

  /** A new version replaces the one of the same id, so without versioning there is only ever one. */
  #add(bucket: Bucket, version: ObjectVersion): void {
    const older = (bucket.objects.get(version.key) ?? []).filter((each) => each.versionId !== version.versionId);
    bucket.objects.set(version.key, [version, ...older]);
  }
}

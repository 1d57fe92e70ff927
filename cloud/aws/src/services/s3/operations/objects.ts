import { AwsError, notImplemented } from '../../../account/errors.ts';
import type { Call, Operations, Permission } from '../../../account/service.ts';
import { invalidArgument, noSuchKey, noSuchVersion, notFound } from '../errors.ts';
import { type Bucket, currentVersion, type ObjectVersion } from '../model.ts';
import { onBucket, onObject } from '../permissions.ts';
import type { Storage } from '../state.ts';
import { verifiedChecksums } from './checksums.ts';
import {
  checkReadConditions,
  checkWriteConditions,
  parseRange,
  type ReadConditions,
  type WriteConditions,
} from './conditional.ts';
import { bytesOf, detailsOf, type ObjectInput, type PutObjectInput } from './object-details.ts';
import type { UseKey } from './object-keys.ts';
import { encryptionOf } from './settings.ts';

interface GetObjectInput extends ObjectInput, ReadConditions {
  readonly Range?: string;
  readonly ChecksumMode?: string;
}

interface DeleteObjectsInput {
  readonly Bucket: string;
  readonly Delete: {
    readonly Objects?: readonly { readonly Key: string; readonly VersionId?: string }[];
    readonly Quiet?: boolean;
  };
}

interface CopyObjectInput extends ObjectInput {
  /** `<bucket>/<key>`, escaped. */
  readonly CopySource: string;
}

/** The object that is copied. Another version than the current one is not modelled. */
function sourceOf(copySource: string): ObjectInput {
  const [, Bucket, Key] = /^\/?([^/?]+)\/([^?]+)$/.exec(decodeURIComponent(copySource)) ?? [];
  if (Bucket === undefined || Key === undefined)
    throw invalidArgument('Copy Source must mention the source bucket and key: sourcebucket/sourcekey');
  return { Bucket, Key };
}

/** Asks IAM a further question in the middle of an operation. */
type Authorize = (call: Call, permission: Permission) => void;

/** Objects of buckets. */
export const objectOperations = (storage: Storage, authorize: Authorize, useKey: UseKey): Operations => ({
  PutObject: {
    permissions: ({ Bucket, Key }: PutObjectInput) => [onObject('PutObject', Bucket, Key)],
    run: (input: PutObjectInput, call) => {
      const bucket = storage.bucket(input.Bucket);
      checkPlace(bucket, input);
      const encryption = encryptionOf(bucket);
      useKey(call, encryption.SSEKMSKeyId, 'GenerateDataKey');
      const body = bytesOf(input.Body);
      const checksums = verifiedChecksums(body, input);
      checkWriteConditions(input.Key, currentVersion(bucket, input.Key), input);
      const version = storage.put(bucket, input.Key, body, { ...detailsOf(input), checksums, encryption });
      return { ETag: version.etag, ...checksums, ...encryption, ...versionMember(bucket, version) };
    },
  },
  // API Reference, CopyObject: the reader's right to the source, the writer's to the place; details come along.
  CopyObject: {
    permissions: ({ Bucket, Key, CopySource }: CopyObjectInput) => {
      const source = sourceOf(CopySource);
      return [onObject('GetObject', source.Bucket, source.Key), onObject('PutObject', Bucket, Key)];
    },
    run: (input: CopyObjectInput, call) => {
      const source = readable(storage, authorize, sourceOf(input.CopySource), call);
      const { body, contentType, metadata, checksums = {} } = source.version;
      const bucket = storage.bucket(input.Bucket);
      const encryption = encryptionOf(bucket);
      useKey(call, source.version.encryption?.SSEKMSKeyId, 'Decrypt');
      useKey(call, encryption.SSEKMSKeyId, 'GenerateDataKey');
      const version = storage.put(bucket, input.Key, body, { contentType, metadata, checksums, encryption });
      return {
        CopyObjectResult: { ETag: version.etag, LastModified: new Date(version.lastModified) },
        ...encryption,
        ...versionMember(bucket, version),
      };
    },
  },
  GetObject: {
    permissions: (input: GetObjectInput) => [onObject(readAction(input), input.Bucket, input.Key)],
    run: (input: GetObjectInput, call) => {
      const { bucket, version } = readable(storage, authorize, input, call);
      useKey(call, version.encryption?.SSEKMSKeyId, 'Decrypt');
      checkReadConditions(version, input);
      const range = parseRange(input.Range, version.body.length);
      const checksums = input.ChecksumMode === 'ENABLED' ? version.checksums : {};
      if (range === undefined) return { ...headers(bucket, version), ...checksums, Body: version.body };
      const Body = version.body.slice(range.from, range.to + 1);
      const ContentRange = `bytes ${range.from}-${range.to}/${version.body.length}`;
      return { ...headers(bucket, version), Body, ContentLength: Body.length, ContentRange };
    },
  },
  HeadObject: {
    permissions: (input: GetObjectInput) => [onObject(readAction(input), input.Bucket, input.Key)],
    run: (input: GetObjectInput, call) => {
      const { bucket, version } = readableHead(storage, authorize, input, call);
      useKey(call, version.encryption?.SSEKMSKeyId, 'Decrypt');
      checkReadConditions(version, input);
      const checksums = input.ChecksumMode === 'ENABLED' ? version.checksums : {};
      return { ...headers(bucket, version), ...checksums };
    },
  },
  DeleteObject: {
    permissions: (input: ObjectInput) => [onObject(deleteAction(input), input.Bucket, input.Key)],
    run: (input: ObjectInput & WriteConditions) => {
      const bucket = storage.bucket(input.Bucket);
      if (input.IfMatch !== undefined) checkWriteConditions(input.Key, currentVersion(bucket, input.Key), input);
      return deleteOne(storage, bucket, input.Key, input.VersionId);
    },
  },
  DeleteObjects: {
    permissions: ({ Bucket, Delete }: DeleteObjectsInput) =>
      (Delete.Objects ?? []).map((each) => onObject(deleteAction(each), Bucket, each.Key)),
    run: ({ Bucket, Delete }: DeleteObjectsInput) => {
      const bucket = storage.bucket(Bucket);
      const deleted = (Delete.Objects ?? []).map((each) => ({
        Key: each.Key,
        ...deleteOne(storage, bucket, each.Key, each.VersionId),
      }));
      return Delete.Quiet === true ? {} : { Deleted: deleted };
    },
  },
});

/** Access lists, storage classes and encryption other than the bucket's own are not modelled. */
function checkPlace(bucket: Bucket, input: PutObjectInput): void {
  // New buckets have no access lists (User Guide, "Controlling ownership of objects").
  if ((input.ACL ?? 'bucket-owner-full-control') !== 'bucket-owner-full-control')
    throw new AwsError('AccessControlListNotSupported', 'The bucket does not allow ACLs', 400);
  if ((input.StorageClass ?? 'STANDARD') !== 'STANDARD')
    throw notImplemented('s3', `PutObject with the storage class ${input.StorageClass}`);
  const own = encryptionOf(bucket);
  if ((input.ServerSideEncryption ?? own.ServerSideEncryption) !== own.ServerSideEncryption)
    throw notImplemented(
      's3',
      `PutObject with the encryption ${input.ServerSideEncryption}, which is not the bucket's`,
    );
  if ((input.SSEKMSKeyId ?? own.SSEKMSKeyId) !== own.SSEKMSKeyId)
    throw notImplemented('s3', "PutObject with another key than the bucket's");
}

const readAction = (input: ObjectInput) => (input.VersionId === undefined ? 'GetObject' : 'GetObjectVersion');

const deleteAction = (input: { readonly VersionId?: string }) =>
  input.VersionId === undefined ? 'DeleteObject' : 'DeleteObjectVersion';

/**
 * A reader who may not list the bucket gets 403 instead of 404 for an object that does not exist (API Reference,
 * GetObject, "Permissions").
 */
function readable(
  storage: Storage,
  authorize: Authorize,
  input: ObjectInput,
  call: Call,
): { bucket: Bucket; version: ObjectVersion } {
  const bucket = storage.bucket(input.Bucket);
  if (!/^(null|[\w.-]{32})$/.test(input.VersionId ?? 'null')) throw invalidArgument('Invalid version id specified');
  const version =
    input.VersionId === undefined
      ? currentVersion(bucket, input.Key)
      : bucket.objects.get(input.Key)?.find((each) => each.versionId === input.VersionId);
  if (version !== undefined && !version.deleteMarker) return { bucket, version };
  authorize(call, onBucket('ListBucket', input.Bucket, { 's3:prefix': input.Key }));
  throw input.VersionId === undefined ? noSuchKey(input.Key) : noSuchVersion(input.Key);
}

/** HEAD cannot carry a code of its own: everything that is missing is NotFound. */
function readableHead(storage: Storage, authorize: Authorize, input: ObjectInput, call: Call) {
  try {
    return readable(storage, authorize, input, call);
  } catch (error) {
    throw /^NoSuch/.test((error as Error).name) ? notFound() : error;
  }
}

function deleteOne(storage: Storage, bucket: Bucket, key: string, versionId: string | undefined) {
  if (versionId === undefined) {
    const marker = storage.delete(bucket, key);
    return marker === undefined ? {} : { DeleteMarker: true, VersionId: marker.versionId };
  }
  const removed = storage.deleteVersion(bucket, key, versionId);
  return { VersionId: versionId, ...(removed?.deleteMarker === true ? { DeleteMarker: true } : {}) };
}

const headers = (bucket: Bucket, version: ObjectVersion) => ({
  AcceptRanges: 'bytes',
  ContentLength: version.body.length,
  ContentType: version.contentType,
  ContentEncoding: version.contentEncoding,
  CacheControl: version.cacheControl,
  ContentDisposition: version.contentDisposition,
  ETag: version.etag,
  LastModified: new Date(version.lastModified),
  Metadata: { ...version.metadata },
  ...(version.encryption ?? encryptionOf(bucket)),
  ...versionMember(bucket, version),
});

const versionMember = (bucket: Bucket, version: ObjectVersion): { VersionId?: string } =>
  bucket.versioning === undefined ? {} : { VersionId: version.versionId };

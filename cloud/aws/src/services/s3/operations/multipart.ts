import { createHash } from 'node:crypto';
import type { Random } from '@drover/core';
import { AwsError } from '../../../account/errors.ts';
import type { Operations } from '../../../account/service.ts';
import { currentVersion } from '../model.ts';
import { onObject } from '../permissions.ts';
import type { ObjectDetails, Storage } from '../state.ts';
import { checkWriteConditions, type WriteConditions } from './conditional.ts';
import { detailsOf, type PutObjectInput } from './object-details.ts';

interface UploadInput {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly details: ObjectDetails;
  readonly parts: Map<number, Uint8Array>;
}

interface CompletedParts {
  readonly MultipartUpload?: { readonly Parts?: readonly { readonly PartNumber?: number; readonly ETag?: string }[] };
}

/** User Guide, "Amazon S3 multipart upload limits": every part but the last has at least 5 MiB. */
const minPartBytes = 5 * 1024 * 1024;

/** Objects that come in parts, as clients send large files. */
export function multipartOperations(storage: Storage, random: Random): Operations {
  const uploads = new Map<string, Upload>();
  const find = ({ Bucket, Key, UploadId }: UploadInput): Upload => {
    const upload = uploads.get(UploadId);
    if (upload === undefined || upload.bucket !== Bucket || upload.key !== Key) throw noSuchUpload(UploadId);
    return upload;
  };
  return {
    CreateMultipartUpload: {
      permissions: ({ Bucket, Key }: PutObjectInput) => [onObject('PutObject', Bucket, Key)],
      run: (input: PutObjectInput) => {
        storage.bucket(input.Bucket);
        const UploadId = random.hex(32);
        uploads.set(UploadId, { bucket: input.Bucket, key: input.Key, details: detailsOf(input), parts: new Map() });
        return { Bucket: input.Bucket, Key: input.Key, UploadId };
      },
    },
    UploadPart: {
      permissions: ({ Bucket, Key }: UploadInput) => [onObject('PutObject', Bucket, Key)],
      run: (input: UploadInput & { PartNumber: number; Body?: Uint8Array }) => {
        const body = (input.Body ?? new Uint8Array(0)).slice();
        find(input).parts.set(input.PartNumber, body);
        return { ETag: `"${md5(body)}"` };
      },
    },
    CompleteMultipartUpload: {
      permissions: ({ Bucket, Key }: UploadInput) => [onObject('PutObject', Bucket, Key)],
      run: (input: UploadInput & CompletedParts & WriteConditions) => {
        const upload = find(input);
        const bucket = storage.bucket(input.Bucket);
        const parts = namedParts(upload, input);
        checkWriteConditions(input.Key, currentVersion(bucket, input.Key), input);
        const etag = `"${md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), 'hex'))))}-${parts.length}"`;
        storage.put(bucket, input.Key, Buffer.concat(parts), { ...upload.details, etag });
        uploads.delete(input.UploadId);
        return { Bucket: input.Bucket, Key: input.Key, ETag: etag, Location: `/${input.Bucket}/${input.Key}` };
      },
    },
    AbortMultipartUpload: {
      permissions: ({ Bucket, Key }: UploadInput) => [onObject('AbortMultipartUpload', Bucket, Key)],
      run: (input: UploadInput) => {
        find(input);
        uploads.delete(input.UploadId);
        return {};
      },
    },
  };
}

/** The parts that the request names, which must be there, in order and large enough. */
function namedParts(upload: Upload, { MultipartUpload }: CompletedParts): Uint8Array[] {
  const named = MultipartUpload?.Parts ?? [];
  if (named.length === 0) throw new AwsError('MalformedXML', 'You must specify at least one part', 400);
  return named.map(({ PartNumber = 0, ETag }, i) => {
    const part = upload.parts.get(PartNumber);
    if (part === undefined || ETag?.replaceAll('"', '') !== md5(part))
      throw new AwsError('InvalidPart', `One or more of the specified parts could not be found: ${PartNumber}`, 400);
    if (i > 0 && PartNumber <= (named[i - 1]?.PartNumber ?? 0))
      throw new AwsError('InvalidPartOrder', 'The list of parts was not in ascending order.', 400);
    if (i < named.length - 1 && part.length < minPartBytes)
      throw new AwsError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', 400);
    return part;
  });
}

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

const noSuchUpload = (UploadId: string) =>
  new AwsError('NoSuchUpload', 'The specified multipart upload does not exist.', 404, { UploadId });

import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { invalidValue } from '../errors.ts';
import type { FunctionCode } from '../model.ts';
import { unreadableIn } from './file-modes.ts';

/** Where a package comes from: bytes in the request, or an object of the embedded S3. */
export interface CodeSource {
  readonly ZipFile?: Uint8Array | string | undefined;
  readonly S3Bucket?: string | undefined;
  readonly S3Key?: string | undefined;
  readonly S3ObjectVersion?: string | undefined;
  readonly ImageUri?: string | undefined;
}

/** Unpacks a function's package. In templates `ZipFile` is the source text of `index.js` itself. */
export function readCode(aws: AwsNeighbours, source: CodeSource): FunctionCode {
  if (typeof source.ZipFile === 'string') return inlineCode(source.ZipFile);
  if (source.ImageUri !== undefined)
    throw invalidValue('the embedded cloud does not model container images: use a zip package');
  return unpack(source.ZipFile ?? fromS3(aws, source));
}

function fromS3(aws: AwsNeighbours, { S3Bucket, S3Key }: CodeSource): Uint8Array {
  if (S3Bucket === undefined || S3Key === undefined) throw invalidValue('Please provide a source for function code.');
  const found = aws.s3.getObject(S3Bucket, S3Key);
  if (found === undefined)
    throw invalidValue(
      'Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.',
    );
  return found;
}

/** Many worlds of a process deploy the same packages. */
const unpacked = new Map<string, FunctionCode>();
const keptPackages = 50;

function unpack(zip: Uint8Array): FunctionCode {
  const sha256 = digest(zip);
  const known = unpacked.get(sha256);
  if (known !== undefined) return known;
  try {
    const files = new Map(Object.entries(unzipSync(zip)).filter(([path]) => !path.endsWith('/')));
    const code: FunctionCode = { files, unreadable: unreadableIn(zip), sha256, size: zip.length, inline: false };
    if (unpacked.size >= keptPackages) unpacked.clear();
    unpacked.set(sha256, code);
    return code;
  } catch (error) {
    throw invalidValue(
      `Could not unzip uploaded file. Please check your file, then try to upload again. (${String(error)})`,
    );
  }
}

function inlineCode(text: string): FunctionCode {
  const bytes = new TextEncoder().encode(text);
  const files = new Map([['index.js', bytes]]);
  return { files, unreadable: new Set(), sha256: digest(bytes), size: bytes.length, inline: true };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { AwsError } from '../../../account/errors.ts';

/** Checksums of an object that a writer may send and a reader may ask for, in base64. */
export interface Checksums {
  readonly ChecksumCRC32?: string;
  readonly ChecksumSHA1?: string;
  readonly ChecksumSHA256?: string;
}

const crcOf = (body: Uint8Array) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64');
};
const digest = (name: string) => (body: Uint8Array) => createHash(name).update(body).digest('base64');

const algorithms = {
  ChecksumCRC32: ['CRC32', crcOf],
  ChecksumSHA1: ['SHA1', digest('sha1')],
  ChecksumSHA256: ['SHA256', digest('sha256')],
} as const;

/** Checks what a request says about its body and returns the checksums that are kept with it (API Reference, PutObject). */
export function verifiedChecksums(body: Uint8Array, input: Checksums & { readonly ContentMD5?: string }): Checksums {
  if (input.ContentMD5 !== undefined && input.ContentMD5 !== digest('md5')(body))
    throw badDigest('The Content-MD5 you specified did not match what we received.');
  const given = Object.entries(algorithms).filter(([member]) => input[member as keyof Checksums] !== undefined);
  for (const [member, [name, compute]] of given)
    if (input[member as keyof Checksums] !== compute(body))
      throw badDigest(`The ${name} you specified did not match the calculated checksum.`);
  return Object.fromEntries(given.map(([member]) => [member, input[member as keyof Checksums]]));
}

const badDigest = (message: string) => new AwsError('BadDigest', message, 400);

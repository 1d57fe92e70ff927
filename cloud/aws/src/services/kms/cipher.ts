import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '@drover/core';
import { invalidCiphertext, type Key } from './model.ts';

type EncryptionContext = Readonly<Record<string, string>>;

const header = 1;
const idBytes = 36;
const ivBytes = 12;
const tagBytes = 16;

/** The blob names its key: version, key id, nonce, tag, then AES-256-GCM under the key's secret. */
export function seal(key: Key, plaintext: Uint8Array, context: EncryptionContext, random: Random): Uint8Array {
  const iv = randomBytes(random, ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv);
  cipher.setAAD(Buffer.from(canonical(context)));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(header), Buffer.from(key.id), iv, cipher.getAuthTag(), sealed]);
}

/** The id of the key that made a blob. */
export function keyIdOf(blob: Uint8Array): string {
  if (blob[0] !== header || blob.length < header + idBytes + ivBytes + tagBytes) throw invalidCiphertext();
  return Buffer.from(blob.subarray(header, header + idBytes)).toString();
}

export function open(key: Key, blob: Uint8Array, context: EncryptionContext): Uint8Array {
  const at = header + idBytes;
  const decipher = createDecipheriv('aes-256-gcm', key.secret, blob.subarray(at, at + ivBytes));
  decipher.setAAD(Buffer.from(canonical(context)));
  decipher.setAuthTag(blob.subarray(at + ivBytes, at + ivBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(blob.subarray(at + ivBytes + tagBytes)), decipher.final()]);
  } catch {
    throw invalidCiphertext();
  }
}

const canonical = (context: EncryptionContext) =>
  JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1)));

export const randomBytes = (random: Random, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => random.int(0, 255));

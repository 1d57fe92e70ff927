import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { type Random, Secret } from '@drover/core';

/** Only holders of the app's private key can derive the key under which its token is kept. */
const sealingKey = (privateKey: Secret) =>
  Buffer.from(hkdfSync('sha256', privateKey.reveal(), '', 'drover fleet memory', 32));

export function seal(token: Secret, privateKey: Secret, random: Random): string {
  const nonce = Buffer.from(random.hex(24), 'hex');
  const cipher = createCipheriv('aes-256-gcm', sealingKey(privateKey), nonce);
  const text = Buffer.concat([cipher.update(token.reveal(), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Undefined when it was sealed under another key, or was changed: then a new token is minted. */
export function unseal(sealed: string, privateKey: Secret): Secret | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(privateKey), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return new Secret(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

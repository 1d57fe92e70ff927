import './reflect-metadata.ts';
import type { webcrypto } from 'node:crypto';
import { type Clock, dayMs, type Random, Secret } from '@drover/core';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Quick to make, and Elasticsearch, Java and openssl know it. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Nodes have certificates of ten years; the authority outlives all that it signs in its first twenty. */
const validYears = 30;
/** A node whose clock is a little behind must not find the authority not yet valid. */
const clockToleranceMs = 3_600_000;

export interface CertificateFacts {
  readonly commonName: string;
  readonly clock: Clock;
  readonly random: Random;
  /** When the authority that it follows was made: the newer one is known by its date. */
  readonly after?: number;
}

/** A new private key, PKCS#8 in PEM. */
export async function makeKey(): Promise<Secret> {
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return new Secret(`${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`);
}

/** A certificate of the authority, signed with its own key: may sign certificates, but no further authority. */
export async function certify(
  key: Secret,
  { commonName, clock, random, after = 0 }: CertificateFacts,
): Promise<string> {
  const keys = await keyPair(key);
  const notBefore = Math.max(clock.now() - clockToleranceMs, after + 1000);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // At most 20 bytes and positive (RFC 5280, 4.1.2.2).
    serialNumber: `4${random.hex(31)}`,
    name: [{ CN: [commonName] }],
    notBefore: new Date(notBefore),
    notAfter: new Date(notBefore + validYears * 365 * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Whether a stored certificate is one of an authority whose key is the stored one. */
export async function belongTogether(certificate: string, key: Secret): Promise<boolean> {
  const { publicKey } = await keyPair(key);
  const own = Buffer.from(await crypto.subtle.exportKey('spki', publicKey));
  return own.equals(Buffer.from(new X509Certificate(certificate).publicKey.rawData));
}

/** The public half is in the private one's JWK. */
async function keyPair(key: Secret): Promise<webcrypto.CryptoKeyPair> {
  const pkcs8 = PemConverter.decodeFirst(key.reveal());
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
  const { d: _private, key_ops: _operations, ...open } = await crypto.subtle.exportKey('jwk', privateKey);
  return { privateKey, publicKey: await crypto.subtle.importKey('jwk', open, algorithm, true, ['verify']) };
}

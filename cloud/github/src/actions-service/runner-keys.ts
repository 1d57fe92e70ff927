import { createPublicKey, type KeyObject } from 'node:crypto';

/**
 * The two primes of the key in every just-in-time configuration that the double makes. It protects nothing: a key of its own for each
 * runner would cost a tenth of a second, and the same text again from the same seed matters more.
 */
const primes = [
  '4aqiPMnx9dogNFTf0NvobZllxaEG5nzuD1rascPz98crm1vm44NWwgA92ZlLURYDpp_EP74An31alo1CRTICvfmmnUkCIzwGNm_BOBmA9a_cLF31qkLs_6kypEDTxpcrvSTOXO8UAh6LpWTID_ExDFN2lPYr9JCJw8PDhn1vsys',
  '0Q1gN7F_hhp4Mjy7RgwPUXdakT8h7QXJvibgIGe6yhwc31Wx3GWv9oX3qYeHMSkSjUaIrnpp55jK1yOUbGLAC69j5SIlCBpnk0bHUxikig5Uu_QciOQiuHjZ0LDPNifXSXZIUjQeZRhepFZMh1J68u5hR1EzGBE04MhAgttbuAk',
] as const;
const publicExponent = 65_537n;

/** `.credentials_rsaparams`: numbers in base64, under these names in small letters (actions/runner, IRSAKeyManager.cs). */
export interface RsaParameters {
  readonly modulus: string;
  readonly exponent: string;
  readonly d: string;
  readonly p: string;
  readonly q: string;
  readonly dp: string;
  readonly dq: string;
  readonly inverseQ: string;
}

let known: RsaParameters | undefined;

export function knownKey(): RsaParameters {
  known ??= keyOf(...(primes.map((text) => numberIn(Buffer.from(text, 'base64url'))) as [bigint, bigint]));
  return known;
}

function keyOf(p: bigint, q: bigint): RsaParameters {
  const d = inverse(publicExponent, (p - 1n) * (q - 1n));
  return {
    modulus: base64(p * q, 256),
    exponent: 'AQAB',
    d: base64(d, 256),
    p: base64(p, 128),
    q: base64(q, 128),
    dp: base64(d % (p - 1n), 128),
    dq: base64(d % (q - 1n), 128),
    inverseQ: base64(inverse(q, p), 128),
  };
}

const numberIn = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
const base64 = (value: bigint, bytes: number) =>
  Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex').toString('base64');

/** By Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [r0, r1, t0, t1] = [modulus, value % modulus, 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1];
  }
  return t0 < 0n ? t0 + modulus : t0;
}

/** The public half, as `config.sh` sends it. */
export interface PublicKey {
  readonly modulus: string;
  readonly exponent: string;
}

/** `public_key` of a registration: `<RSAKeyValue><Modulus>…</Modulus><Exponent>…</Exponent></RSAKeyValue>`; undefined if it is none. */
export function publicKeyIn(xml: string): PublicKey | undefined {
  const [, modulus] = /<Modulus>([\w+/=]+)<\/Modulus>/i.exec(xml) ?? [];
  const [, exponent] = /<Exponent>([\w+/=]+)<\/Exponent>/i.exec(xml) ?? [];
  return modulus === undefined || exponent === undefined ? undefined : { modulus, exponent };
}

export const publicKeyXml = ({ modulus, exponent }: PublicKey): string =>
  `<RSAKeyValue><Modulus>${modulus}</Modulus><Exponent>${exponent}</Exponent></RSAKeyValue>`;

const asUrl = (text: string) => Buffer.from(text, 'base64').toString('base64url');

export const publicKeyObject = ({ modulus, exponent }: PublicKey): KeyObject =>
  createPublicKey({ key: { kty: 'RSA', n: asUrl(modulus), e: asUrl(exponent) }, format: 'jwk' });

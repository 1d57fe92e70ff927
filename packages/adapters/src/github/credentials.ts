import { createSign } from 'node:crypto';
import type { Clock, Random, Secret } from '@drover/core';
import { loadOnce } from '@drover/core/load-once';

/** How Drover authenticates to the platform. */
export interface PlatformCredentials {
  /** The value of the Authorization header. */
  authorization(): Promise<string>;
  /** The platform refused this value: returns whether there is another one now. */
  renew?(refused: string): Promise<boolean>;
}

/** Credentials with a secret that only their holders know: what they share is encrypted under it. */
export interface SealingCredentials extends PlatformCredentials {
  /** `anew`: as it is in its secret now. */
  readonly sealingKey: (anew?: boolean) => Promise<Secret>;
}

/** A personal token, read once per process, and again when it is refused: it may have been replaced in its secret. */
export function tokenCredentials(readToken: () => Promise<Secret>): SealingCredentials {
  const token = loadOnce(readToken);
  const authorization = async () => `token ${(await token()).reveal().trim()}`;
  return {
    authorization,
    sealingKey: token,
    async renew(refused) {
      await token(true);
      return (await authorization()) !== refused;
    },
  };
}

/** A JWT of an app. Two identical ones may be refused, so each carries its own `jti`; `iat` allows for a clock that is fast. */
export function appJwt(appId: string, privateKey: Secret, clock: Clock, random: Random): string {
  const now = Math.floor(clock.now() / 1000);
  const claims = { iat: now - 60, exp: now + 540, iss: appId, jti: random.uuid() };
  const unsigned = `${segment({ alg: 'RS256', typ: 'JWT' })}.${segment(claims)}`;
  return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(privateKey.reveal(), 'base64url')}`;
}

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

import { createSign } from 'node:crypto';
import type { Clock, Random, Secret } from '@drover/core';

/** How Drover shows the platform who it is. */
export interface PlatformCredentials {
  /** The value of the Authorization header. */
  authorization(): Promise<string>;
}

/** A personal token, read once per process. */
export function tokenCredentials(readToken: () => Promise<Secret>): PlatformCredentials {
  let token: Promise<Secret> | undefined;
  return {
    authorization: async () => {
      token ??= readToken();
      return `token ${(await token).reveal()}`;
    },
  };
}

/** A JWT of an app. Two identical ones may be refused, so each carries its own `jti`. */
export function appJwt(appId: string, privateKey: Secret, clock: Clock, random: Random): string {
  const now = Math.floor(clock.now() / 1000);
  const claims = { iat: now - 60, exp: now + 540, iss: appId, jti: random.uuid() };
  const unsigned = `${segment({ alg: 'RS256', typ: 'JWT' })}.${segment(claims)}`;
  return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(privateKey.reveal(), 'base64url')}`;
}

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

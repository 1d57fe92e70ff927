import type { Clock, Random } from '@drover/core';

/** How long the service's token lives is not documented. */
const lifeMs = 3_600_000;

/** Tokens with which scale sets are managed. Clients read when one expires; only the service reads the rest. */
export class AdminTokens {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #held = new Map<string, { readonly level: string; readonly expiresAt: number }>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  mint(level: string): string {
    const now = this.#clock.now();
    for (const [token, { expiresAt }] of this.#held) if (expiresAt <= now) this.#held.delete(token);
    const expiresAt = now + lifeMs;
    const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iat: Math.floor(now / 1000), exp: Math.floor(expiresAt / 1000), orchid: this.#random.uuid() };
    const signature = Buffer.from(this.#random.hex(64), 'hex').toString('base64url');
    const token = `${segment({ typ: 'JWT', alg: 'RS256' })}.${segment(claims)}.${signature}`;
    this.#held.set(token, { level, expiresAt });
    return token;
  }

  /** The level that a token is valid for, if any. */
  levelOf(token: string): string | undefined {
    const held = this.#held.get(token);
    return held !== undefined && this.#clock.now() < held.expiresAt ? held.level : undefined;
  }
}

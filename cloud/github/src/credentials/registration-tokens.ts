import type { Clock, Random } from '@drover/core';

export type RegistrationTokenKind = 'registration' | 'remove';

interface HeldToken {
  readonly kind: RegistrationTokenKind;
  readonly account: string;
  /** The level it was made for: an organisation, `owner/repository`, or `enterprises/name`. */
  readonly level: string;
  readonly expiresAt: number;
}

/** docs.github.com, "Create a registration token for an organization": it expires after one hour. */
const lifeMs = 3_600_000;

/** Tokens with which `config.sh` registers and removes runners. Within its hour one may be used again and again. */
export class RegistrationTokens {
  readonly #clock: Clock;
  readonly #random: Random;
  #held = new Map<string, HeldToken>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  mint(
    kind: RegistrationTokenKind,
    account: string,
    level: string,
  ): { readonly token: string; readonly expiresAt: number } {
    this.#forgetExpired();
    const token = `A${this.#random.hex(28).toUpperCase()}`;
    const expiresAt = this.#clock.now() + lifeMs;
    this.#held.set(token, { kind, account, level, expiresAt });
    return { token, expiresAt };
  }

  /** The account that minted a token, if the token is valid for this. */
  accountOf(token: string, kind: RegistrationTokenKind): string | undefined {
    const held = this.#held.get(token);
    return held?.kind === kind && held.expiresAt > this.#clock.now() ? held.account : undefined;
  }

  levelOf(token: string): string | undefined {
    return this.#held.get(token)?.level;
  }

  /** They were minted in the order in which they expire. */
  #forgetExpired(): void {
    for (const [token, { expiresAt }] of this.#held) {
      if (expiresAt > this.#clock.now()) return;
      this.#held.delete(token);
    }
  }
}

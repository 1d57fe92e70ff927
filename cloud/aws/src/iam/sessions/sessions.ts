import type { Clock, Random } from '@drover/core';
import type { Credentials, Principal } from '../../account/service.ts';
import { expiredCredentials, unknownCredentials } from '../authorization/access-denied.ts';
import { uniqueId } from '../model.ts';
import type { Policy } from '../policy/document.ts';

/** The session behind temporary credentials. */
export interface Session {
  readonly principal: Principal;
  readonly credentials: Credentials;
  readonly tags: Readonly<Record<string, string>>;
  /** A policy given when the role was assumed. */
  readonly policy: Policy | undefined;
}

/** Expired sessions are remembered this long, to be reported as expired and not as unknown. */
const rememberExpiredMs = 3_600_000;

/** Access keys and what they stand for; temporary ones expire on the clock. */
export class Sessions {
  #byKey = new Map<string, Session>();
  #byPrincipal = new WeakMap<Principal, Session>();
  #clock: Clock;
  #random: Random;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Temporary credentials for a principal. */
  open(principal: Principal, durationMs: number, limits: Partial<Pick<Session, 'tags' | 'policy'>> = {}): Session {
    this.#forgetOld();
    const expiresAt = this.#clock.now() + durationMs;
    const credentials = { ...this.#keyPair('ASIA'), sessionToken: `FwoG${this.#random.hex(96)}`, expiresAt };
    return this.#keep({ principal, credentials, tags: limits.tags ?? {}, policy: limits.policy });
  }

  /** A long-lived access key of a user. */
  issueKey(principal: Principal): Session {
    return this.#keep({ principal, credentials: this.#keyPair('AKIA'), tags: {}, policy: undefined });
  }

  /** The owner of credentials; throws as AWS does when they are unknown or expired. */
  identify(accessKeyId: string, sessionToken: string | undefined, service: string | undefined): Principal {
    const session = this.#byKey.get(accessKeyId);
    if (session === undefined || session.credentials.sessionToken !== sessionToken) throw unknownCredentials(service);
    const { expiresAt } = session.credentials;
    if (expiresAt !== undefined && this.#clock.now() >= expiresAt) throw expiredCredentials(service);
    return session.principal;
  }

  of(principal: Principal): Session | undefined {
    return this.#byPrincipal.get(principal);
  }

  #keep(session: Session): Session {
    this.#byKey.set(session.credentials.accessKeyId, session);
    this.#byPrincipal.set(session.principal, session);
    return session;
  }

  #keyPair(prefix: string) {
    return {
      accessKeyId: uniqueId(this.#random, prefix, 16),
      secretAccessKey: this.#random.hex(40),
    };
  }

  /** The oldest stand first; one long session may keep a few younger ones behind it for a while. */
  #forgetOld(): void {
    for (const [key, { credentials }] of this.#byKey) {
      if (credentials.expiresAt === undefined) continue;
      if (credentials.expiresAt + rememberExpiredMs > this.#clock.now()) return;
      this.#byKey.delete(key);
    }
  }
}

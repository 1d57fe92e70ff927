import type { Engine } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { type ArnScope, arn } from '../../account/arn.ts';
import { markedForDeletion, notFound, type SecretContent, type StoredSecret } from './model.ts';
import { attachStages, makeRoom } from './stages.ts';

const dayMs = 86_400_000;
/** How far ListSecrets lags behind. */
export const listLagMs = 300_000;
const suffixLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** All secrets of the account, by name. */
export class SecretStore {
  readonly secrets = new Map<string, StoredSecret>();
  /** Gone, but still listed. */
  #purged: StoredSecret[] = [];
  readonly scope: ArnScope;
  readonly engine: Engine;
  readonly random: Random;
  /** The ARN behind a key's id or alias. */
  readonly keyArn: (keyId: string) => string | undefined;

  constructor(scope: ArnScope, engine: Engine, keyArn: (keyId: string) => string | undefined) {
    this.keyArn = keyArn;
    this.scope = scope;
    this.engine = engine;
    this.random = engine.random.fork('secretsmanager');
  }

  get now(): number {
    return this.engine.clock.now();
  }

  /** A complete ARN: the name, a hyphen and six random characters. (API Reference, CreateSecret, "ARN".) */
  newArn(name: string): string {
    const letters = Array.from({ length: 6 }, () => suffixLetters[this.random.int(0, suffixLetters.length - 1)]);
    return `${arn(this.scope, 'secretsmanager', `secret:${name}`)}-${letters.join('')}`;
  }

  /** By name, complete ARN, or ARN without the random suffix. (User Guide, "Finding a secret from a partial ARN".) */
  find(id: string | undefined): StoredSecret | undefined {
    if (id === undefined) return undefined;
    const name = /^arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:(.+)$/.exec(id)?.[1];
    if (name === undefined) return this.secrets.get(id);
    const complete = this.secrets.get(name.replace(/-[^-]{6}$/, ''));
    return complete?.arn === id ? complete : this.secrets.get(name);
  }

  get(id: string | undefined): StoredSecret {
    const secret = this.find(id);
    if (secret === undefined) throw notFound();
    return secret;
  }

  /** A secret that may still be read and changed. */
  usable(id: string | undefined): StoredSecret {
    const secret = this.get(id);
    if (secret.deletedAt !== undefined) throw markedForDeletion();
    return secret;
  }

  addVersion(secret: StoredSecret, id: string, value: SecretContent, stages: readonly string[]): void {
    makeRoom(secret, this.now);
    secret.versions.set(id, { id, createdAt: this.now, value, stages: new Set() });
    attachStages(secret, id, stages);
    secret.changedAt = this.now;
  }

  /**
   * Marks a secret for deletion. With a recovery window it can be restored until then; a forced deletion is done by a
   * background process a moment later, and only then is the name free. (API Reference, DeleteSecret.)
   */
  markDeleted(secret: StoredSecret, recovery: { days: number } | 'none'): void {
    secret.deletedAt = this.now;
    const delayMs = recovery === 'none' ? this.random.int(1_000, 5_000) : recovery.days * dayMs;
    secret.purgeAt = this.now + delayMs;
    const due = secret.purgeAt;
    this.engine.clock.after(delayMs, () => this.#purge(secret, due));
  }

  /** All secrets as they were when the list was last brought up to date. */
  listed(): StoredSecret[] {
    const at = this.now - listLagMs;
    return [...this.#purged, ...this.secrets.values()]
      .filter(
        (secret) => secret.createdAt <= at && (this.secrets.get(secret.name) === secret || this.#isListed(secret)),
      )
      .map(({ deletedAt, ...secret }) => ({
        ...secret,
        changedAt: secret.changedAt <= at ? secret.changedAt : secret.createdAt,
        ...(deletedAt === undefined || deletedAt > at ? {} : { deletedAt }),
      }));
  }

  #isListed({ purgeAt = 0 }: StoredSecret): boolean {
    return purgeAt > this.now - listLagMs;
  }

  #purge(secret: StoredSecret, due: number): void {
    if (secret.purgeAt !== due || this.secrets.get(secret.name) !== secret) return;
    this.secrets.delete(secret.name);
    this.#purged = [...this.#purged.filter((gone) => this.#isListed(gone)), secret];
    this.engine.journal.record({
      kind: 'transition',
      source: 'aws.secretsmanager',
      name: 'marked for deletion -> gone',
      subject: secret.arn,
    });
  }
}

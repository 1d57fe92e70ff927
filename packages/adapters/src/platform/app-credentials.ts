import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type Clock, type Random, Secret } from '@drover/core';
import type { FleetMemory } from '@drover/runner-fleet';
import type { PlatformClient } from './client.ts';
import { appJwt, type PlatformCredentials } from './credentials.ts';

export interface AppCredentialsOptions {
  readonly appId: string;
  readonly org: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly memory: FleetMemory;
  readPrivateKey(): Promise<Secret>;
  /** A client that is given its authorization with each call. */
  client(): PlatformClient;
}

/** A token is minted again when it would expire within this time. */
const spareMs = 5 * 60_000;

/**
 * An app's installation token. It is kept in the fleet memory for its hour, encrypted under a key that only holders of
 * the app's private key can derive: every invocation then sends the same token, which keeps ETags valid.
 */
export function appCredentials(options: AppCredentialsOptions): PlatformCredentials {
  let privateKey: Promise<Secret> | undefined;
  let current: { readonly token: Secret; readonly expiresAt: number } | undefined;

  async function token(): Promise<Secret> {
    privateKey ??= options.readPrivateKey();
    const key = await privateKey;
    current = usable(current) ?? usable(await remembered(key)) ?? (await mint(key));
    return current.token;
  }

  const usable = (held: typeof current) =>
    held !== undefined && held.expiresAt - options.clock.now() > spareMs ? held : undefined;

  async function remembered(key: Secret): Promise<typeof current> {
    const held = (await options.memory.read()).accessToken;
    const token = held === undefined ? undefined : unseal(held.sealed, key);
    return held === undefined || token === undefined ? undefined : { token, expiresAt: held.expiresAt };
  }

  async function mint(key: Secret) {
    const authorization = `Bearer ${appJwt(options.appId, key, options.clock, options.random)}`;
    const { data: installation } = await options
      .client()
      .call<{ readonly id: number }>('GET /orgs/{org}/installation', {}, { authorization });
    const { data } = await options
      .client()
      .call<{ readonly token: string; readonly expires_at: string }>(
        'POST /app/installations/{installation_id}/access_tokens',
        { installation_id: installation.id },
        { authorization },
      );
    const minted = { token: new Secret(data.token), expiresAt: Date.parse(data.expires_at) };
    const sealed = seal(minted.token, key);
    await options.memory.update((memory) => ({ ...memory, accessToken: { sealed, expiresAt: minted.expiresAt } }));
    return minted;
  }

  return { authorization: async () => `token ${(await token()).reveal()}` };
}

const sealingKey = (privateKey: Secret) =>
  Buffer.from(hkdfSync('sha256', privateKey.reveal(), '', 'drover fleet memory', 32));

function seal(token: Secret, privateKey: Secret): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(privateKey), nonce);
  const text = Buffer.concat([cipher.update(token.reveal(), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Undefined when it was sealed under another key: then a new token is minted. */
function unseal(sealed: string, privateKey: Secret): Secret | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(privateKey), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return new Secret(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

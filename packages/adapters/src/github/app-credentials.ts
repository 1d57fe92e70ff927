import { type Clock, type Random, Secret, TerminalError } from '@drover/core';
import { loadOnce } from '@drover/core/load-once';
import type { FleetMemory } from '@drover/runner-fleet';
import { type PlatformClient, PlatformStatusError } from './client.ts';
import { appJwt, type SealingCredentials } from './credentials.ts';
import { number, object, text } from './reading.ts';
import { seal, unseal } from './token-seal.ts';

export interface AppCredentialsOptions {
  readonly appId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly memory: FleetMemory;
  readPrivateKey(): Promise<Secret>;
  /** A client that is given its authorization with each call. */
  client(): PlatformClient;
}

/** The credentials of an app, and the app itself: some routes are for apps only. */
export interface AppCredentials extends SealingCredentials {
  /** `Bearer <JWT>`, a new one each time. */
  appAuthorization(): Promise<string>;
}

interface HeldToken {
  readonly token: Secret;
  readonly expiresAt: number;
}

/** A token is minted again when it would expire within this time. */
const spareMs = 5 * 60_000;

const installationShape = object({ id: number });
const tokenShape = object({ token: text, expires_at: text });

/**
 * An app's installation token. It is kept in the fleet memory for its hour, encrypted under a key that only holders of
 * the app's private key can derive: every invocation then sends the same token, which keeps ETags valid.
 */
export function appCredentials(options: AppCredentialsOptions): AppCredentials {
  const { clock, memory, random } = options;
  const key = loadOnce(() => options.readPrivateKey());
  let current: HeldToken | undefined;
  let refusedToken: string | undefined;

  const usable = (held: HeldToken | undefined) =>
    held !== undefined && held.expiresAt - clock.now() > spareMs && held.token.reveal() !== refusedToken
      ? held
      : undefined;

  async function token(): Promise<Secret> {
    current = usable(current) ?? usable(await remembered()) ?? (await mint());
    return current.token;
  }

  async function remembered(): Promise<HeldToken | undefined> {
    const held = (await memory.read()).accessToken;
    const token = held === undefined ? undefined : unseal(held.sealed, await key());
    return held === undefined || token === undefined ? undefined : { token, expiresAt: held.expiresAt };
  }

  /** A key that the platform refuses may have been replaced in its secret since it was read. */
  async function mint(): Promise<HeldToken> {
    const known = await key();
    try {
      return await mintWith();
    } catch (error) {
      if (!(error instanceof PlatformStatusError) || error.reason !== 'bad-credentials') throw error;
      if ((await key(true)).reveal() === known.reveal()) throw error;
      return await mintWith();
    }
  }

  async function mintWith(): Promise<HeldToken> {
    const client = options.client();
    const found = await client.call('GET /{level}/installation', installationShape, {
      authorization: await appAuthorization(),
    });
    const minted = await client.call('POST /app/installations/{installation_id}/access_tokens', tokenShape, {
      parameters: { installation_id: found.data.id },
      authorization: await appAuthorization(),
    });
    const held = { token: new Secret(minted.data.token), expiresAt: Date.parse(minted.data.expires_at) };
    const sealed = seal(held.token, await key(), random);
    await memory.update((state) => ({ ...state, accessToken: { sealed, expiresAt: held.expiresAt } }));
    return held;
  }

  async function appAuthorization(): Promise<string> {
    return `Bearer ${signedJwt(options.appId, await key(), clock, random)}`;
  }

  return {
    authorization: async () => `token ${(await token()).reveal()}`,
    appAuthorization,
    sealingKey: key,
    async renew(refused) {
      refusedToken = refused.replace(/^token /, '');
      await key(true);
      return `token ${(await token()).reveal()}` !== refused;
    },
  };
}

/** A secret that holds no key fails here, with words that do not show what it holds. */
function signedJwt(appId: string, key: Secret, clock: Clock, random: Random): string {
  try {
    return appJwt(appId, key, clock, random);
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    throw new TerminalError(`the private key of app ${appId} cannot be used to sign (${code ?? 'not a key'})`, {
      remedy:
        'store the PEM file that GitHub gave for the app, unchanged, in the secret of platform_app_pem_secret_arn',
    });
  }
}

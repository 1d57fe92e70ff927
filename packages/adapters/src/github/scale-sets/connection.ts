import { type Clock, type Random, Secret, TransientError } from '@drover/core';
import { type PlatformLevel, restPrefix, runnerUrl } from '@drover/core/names/platform-level';
import type { FleetMemory } from '@drover/runner-fleet';
import type { PlatformClient } from '../client.ts';
import type { SealingCredentials } from '../credentials.ts';
import { PlatformStatusError } from '../failures.ts';
import { object, text } from '../reading.ts';
import { seal, unseal } from '../token-seal.ts';

/** Where the Actions service of the fleet's level is, and the token that it takes. */
export interface Connection {
  readonly url: string;
  readonly token: Secret;
  readonly expiresAt: number;
}

export interface ConnectionOptions {
  readonly client: PlatformClient;
  readonly credentials: SealingCredentials;
  readonly apiUrl: string;
  readonly level: PlatformLevel;
  readonly clock: Clock;
  readonly random: Random;
  readonly memory: FleetMemory;
}

/** The connection that all functions of a fleet share: one of them makes it, and it is kept, sealed, in the fleet memory. */
export interface ActionsConnection {
  current(): Promise<Connection>;
  /** Makes another one when there is none, when it was refused, or when it ends soon. */
  renew(refused?: Connection): Promise<void>;
}

const tokenShape = object({ token: text });
const registrationShape = object({ url: text, token: text });

/** Renewed so long before its end: the other functions use it until the next window. */
const spareMs = 5 * 60_000;
/** A registration token may not be known everywhere when it is used at once: GitHub's own client tries again, too. */
const attempts = 3;
const pauseMs = 2_000;

/** Two requests an hour against the REST limit. */
export function actionsConnection(options: ConnectionOptions): ActionsConnection {
  const { client, credentials, level, apiUrl, clock, memory, random } = options;

  async function remembered(): Promise<Connection | undefined> {
    const held = (await memory.read()).actionsService;
    const token = held === undefined ? undefined : unseal(held.sealed, await credentials.sealingKey());
    return held === undefined || token === undefined ? undefined : { url: held.url, token, expiresAt: held.expiresAt };
  }

  async function register(registrationToken: string) {
    for (let attempt = 1; ; attempt++) {
      try {
        const body = { url: runnerUrl(apiUrl, level), runner_event: 'register' };
        const authorization = `RemoteAuth ${registrationToken}`;
        return (await client.call('POST /actions/runner-registration', registrationShape, { authorization, body }))
          .data;
      } catch (error) {
        const early = error instanceof PlatformStatusError && (error.status === 401 || error.status === 403);
        if (!early || attempt === attempts) throw error;
        await clock.sleep(pauseMs);
      }
    }
  }

  return {
    async current() {
      const held = await remembered();
      if (held !== undefined && held.expiresAt > clock.now()) return held;
      throw new TransientError(
        'there is no connection to the Actions service (yet): the next window of the demand makes it',
      );
    },
    async renew(refused) {
      const held = await remembered();
      const good = held !== undefined && held.expiresAt - clock.now() > spareMs;
      if (good && held.token.reveal() !== refused?.token.reveal()) return;
      const route = `POST /${restPrefix(level)}/actions/runners/registration-token`;
      const { token } = (await client.call(route, tokenShape)).data;
      const made = await register(token);
      const sealed = seal(new Secret(made.token), await credentials.sealingKey(), random);
      const actionsService = { url: made.url, sealed, expiresAt: expiryOf(made.token) ?? clock.now() + 50 * 60_000 };
      await memory.update((state) => ({ ...state, actionsService }));
    },
  };
}

/** The token is a JWT, of which only its end matters here. */
function expiryOf(jwt: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

import { type Clock, type Random, Secret, TransientError } from '@drover/core';
import { runnerUrl } from '@drover/core/names/platform-level';
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
  readonly clock: Clock;
  readonly random: Random;
  readonly memory: FleetMemory;
  /** Whether this function makes the connection; the others wait for it. @default false */
  readonly renews?: boolean;
}

/** The connection that all functions of a fleet share: one of them makes it, and it is kept, sealed, in the fleet memory. */
export interface ActionsConnection {
  current(): Promise<Connection>;
  /** Makes another one when there is none, or when it ends soon. */
  renew(): Promise<void>;
  /** Another one than that which the service refused. */
  instead(refused: Connection): Promise<Connection>;
}

const tokenShape = object({ token: text });
const registrationShape = object({ url: text, token: text });

/** Renewed this long before it expires: the other functions use it until the next window. */
const spareMs = 5 * 60_000;
/** A registration token may not be known everywhere when it is used at once: GitHub's own client tries again, too. */
const attempts = 3;
const pauseMs = 2_000;

/** Two requests an hour against the REST limit. */
export function actionsConnection(options: ConnectionOptions): ActionsConnection {
  const { client, credentials, apiUrl, clock, memory, random } = options;

  let known: Connection | undefined;

  async function remembered(): Promise<Connection | undefined> {
    const held = (await memory.read()).actionsService;
    const token = held === undefined ? undefined : unseal(held.sealed, await credentials.sealingKey());
    return held === undefined || token === undefined ? undefined : { url: held.url, token, expiresAt: held.expiresAt };
  }

  async function register(registrationToken: string) {
    for (let attempt = 1; ; attempt++) {
      try {
        const body = { url: runnerUrl(apiUrl, client.level), runner_event: 'register' };
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

  const missing = () =>
    new TransientError('there is no connection to the Actions service: the next window of the demand makes it');

  async function current(refused?: Connection): Promise<Connection> {
    if (known === undefined || known === refused || known.expiresAt <= clock.now()) known = await remembered();
    if (known !== undefined && known.expiresAt > clock.now() && !isSame(known, refused)) return known;
    known = undefined;
    throw missing();
  }

  /** Several scale sets may ask at once: one connection is made for all of them. */
  let making: Promise<Connection> | undefined;
  function make(): Promise<Connection> {
    making ??= makeOne().finally(() => {
      making = undefined;
    });
    return making;
  }

  async function makeOne(): Promise<Connection> {
    const { token } = (await client.call('POST /{level}/actions/runners/registration-token', tokenShape)).data;
    const made = await register(token);
    const { url } = made;
    known = { url, token: new Secret(made.token), expiresAt: expiryOf(made.token) ?? clock.now() + 50 * 60_000 };
    const sealed = seal(known.token, await credentials.sealingKey(), random);
    const actionsService = { url, sealed, expiresAt: known.expiresAt };
    await memory.update((state) => ({ ...state, actionsService }));
    return known;
  }

  return {
    current: () => current(),
    async renew() {
      const held = await current().catch(() => undefined);
      if (held === undefined || held.expiresAt - clock.now() <= spareMs) await make();
    },
    async instead(refused) {
      if (options.renews !== true) return await current(refused);
      // Another scale set may have been refused first.
      return known === undefined || isSame(known, refused) ? await make() : known;
    },
  };
}

const isSame = (one: Connection, other: Connection | undefined) => one.token.reveal() === other?.token.reveal();

/** The token is a JWT, of which only its end matters here. */
function expiryOf(jwt: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

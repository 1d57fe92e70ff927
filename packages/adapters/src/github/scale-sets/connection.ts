import { type Clock, type Random, Secret, TransientError } from '@drover/core';
import { runnerUrl } from '@drover/core/names/platform-level';
import type { FleetMemory, Memory } from '@drover/runner-fleet';
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
  /** Each pass reads it before it connects: `last` is what it read. */
  readonly memory: FleetMemory & { readonly last?: Memory | undefined };
  /** Whether this function makes the connection; the others wait for it. @default false */
  readonly renews?: boolean;
}

/** The connection that all functions of a fleet share: one of them makes it, and it is kept, sealed, in the fleet memory. */
export interface ActionsConnection {
  current(): Promise<Connection>;
  /** Makes another one when there is none, or when it ends soon; keeps it again where the memory has lost it. */
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
  const { client, apiUrl, clock, memory, random } = options;
  const { sealingKey } = options.credentials;

  let known: Connection | undefined;

  async function remembered(last?: Memory): Promise<Connection | undefined> {
    const held = (last ?? (await memory.read())).actionsService;
    if (held === undefined) return undefined;
    const { sealed, ...open } = held;
    const token = unseal(sealed, await sealingKey()) ?? unseal(sealed, await sealingKey(true));
    if (token !== undefined) return { ...open, token };
    // Sealed under a key that was replaced in its secret: the next window of the demand writes it again, under the new one.
    const without = ({ actionsService, ...state }: Memory) =>
      actionsService?.sealed === sealed ? state : { ...state, actionsService };
    await memory.update(without);
    return undefined;
  }

  async function register(registrationToken: string) {
    for (let attempt = 1; ; attempt++) {
      try {
        const body = { url: runnerUrl(apiUrl, client.level), runner_event: 'register' };
        const asked = { authorization: `RemoteAuth ${registrationToken}`, body };
        return (await client.call('POST /actions/runner-registration', registrationShape, asked)).data;
      } catch (error) {
        const early = error instanceof PlatformStatusError && (error.status === 401 || error.status === 403);
        if (!early || attempt === attempts) throw error;
        await clock.sleep(pauseMs);
      }
    }
  }

  async function current(refused?: Connection): Promise<Connection> {
    if (known === undefined || known === refused || known.expiresAt <= clock.now()) known = await remembered();
    if (known !== undefined && known.expiresAt > clock.now() && !isSame(known, refused)) return known;
    known = undefined;
    throw new TransientError('there is no connection to the Actions service: the next window of the demand makes it');
  }

  async function makeOne(): Promise<Connection> {
    const { data } = await client.call('POST /{level}/actions/runners/registration-token', tokenShape);
    const { url, token } = await register(data.token);
    return await keep({ url, token: new Secret(token), expiresAt: expiryOf(token) ?? clock.now() + 50 * 60_000 });
  }

  async function keep(made: Connection): Promise<Connection> {
    known = made;
    const { token, ...open } = made;
    const actionsService = { ...open, sealed: seal(token, await sealingKey(true), random) };
    await memory.update((state) => ({ ...state, actionsService }));
    return made;
  }

  const lasts = (held?: Connection): held is Connection => held !== undefined && held.expiresAt - clock.now() > spareMs;

  /** The other functions have only what is in the memory: it may have been lost there. */
  async function settle(): Promise<void> {
    const held = await remembered(memory.last);
    if (lasts(held)) known = held;
    else await (lasts(known) ? keep(known) : makeOne());
  }

  const make = together(makeOne);
  return {
    current: () => current(),
    renew: together(settle),
    async instead(refused) {
      if (options.renews !== true) return await current(refused);
      // Another scale set may have been refused first.
      return known === undefined || isSame(known, refused) ? await make() : known;
    },
  };
}

/** Several scale sets may ask at once: one connection is made for all of them. */
function together<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    return running;
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

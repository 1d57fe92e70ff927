import { constants, verify } from 'node:crypto';
import type { HttpResponse } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { RunnerRecord } from '../model.ts';
import { knownKey, publicKeyObject } from './runner-keys.ts';
import { json } from './service-responses.ts';

const tokenLifeSeconds = 3_600;
/** How far the clock of a runner may be off. */
export const usualSkewMs = 300_000;
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string;
  readonly nbf?: number;
  readonly exp?: number;
}

/**
 * OAuth with the runner's own key (actions/runner, VssOAuthTokenHttpClient.cs): a signed assertion is exchanged for a token. A refusal is a 400
 * with an error's name; `invalid_client` says that the registration is deleted.
 */
export class TokenEndpoint {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #skewMs: number;
  readonly #runnerOf: (clientId: string) => RunnerRecord | undefined;
  readonly #tokens = new Map<string, { readonly clientId: string; readonly expiresAt: number }>();

  constructor(clock: Clock, random: Random, skewMs: number, runnerOf: (clientId: string) => RunnerRecord | undefined) {
    this.#skewMs = skewMs;
    this.#clock = clock;
    this.#random = random;
    this.#runnerOf = runnerOf;
  }

  answer(form: URLSearchParams, url: string): HttpResponse {
    const assertion = form.get('client_assertion') ?? '';
    if (form.get('grant_type') !== 'client_credentials' || form.get('client_assertion_type') !== assertionType)
      return refuse('invalid_request', 'The grant is not one of a client that signs.');
    const [head = '', body = '', signature = ''] = assertion.split('.');
    const claims = read<Claims>(body);
    const runner = claims?.iss === claims?.sub ? this.#runnerOf(claims?.iss ?? '') : undefined;
    if (claims === undefined || runner === undefined) return refuse('invalid_client', 'No such client.');
    if (!isSignedBy(runner, read<{ alg?: string }>(head)?.alg, `${head}.${body}`, signature))
      return refuse('invalid_client', 'The signature is not that of the client.');
    if (claims.aud !== url) return refuse('invalid_grant', `The audience ${claims.aud} is not ${url}.`);
    const now = this.#clock.now();
    if ((claims.nbf ?? 0) * 1_000 > now + this.#skewMs || (claims.exp ?? 0) * 1_000 < now - this.#skewMs)
      return refuse('invalid_grant', `The assertion is not valid now. Current server time is ${new Date(now)}.`);
    return json(200, {
      access_token: this.mint(runner.clientId),
      expires_in: tokenLifeSeconds,
      token_type: 'Bearer',
    });
  }

  /** A token of a runner, or of its job: readable as a JWT, which the listener expects of it. */
  mint(clientId: string, claims: object = {}): string {
    const token = [
      { alg: 'none', typ: 'JWT' },
      { sub: clientId, jti: this.#random.uuid(), ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .concat(this.#random.hex(32))
      .join('.');
    this.#tokens.set(token, { clientId, expiresAt: this.#clock.now() + tokenLifeSeconds * 1_000 });
    return token;
  }

  /** The client of a token; undefined when it is unknown or has expired. */
  clientOf(authorization: string | undefined): string | undefined {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
    const found = this.#tokens.get(token);
    if (found === undefined || found.expiresAt > this.#clock.now()) return found?.clientId;
    this.#tokens.delete(token);
    return undefined;
  }
}

const refuse = (error: string, error_description: string): HttpResponse => json(400, { error, error_description });

function read<T>(part: string): T | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as T;
  } catch {
    return undefined;
  }
}

/** PS256 where the credentials ask for FIPS, RS256 elsewhere. */
function isSignedBy(runner: RunnerRecord, algorithm: string | undefined, text: string, signature: string): boolean {
  const key = publicKeyObject(runner.publicKey ?? knownKey());
  const padding =
    algorithm === 'PS256'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { padding: constants.RSA_PKCS1_PADDING };
  return verify('sha256', Buffer.from(text), { key, ...padding }, Buffer.from(signature, 'base64url'));
}

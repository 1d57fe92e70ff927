import { createVerify } from 'node:crypto';
import type { Clock, Random } from '@drover/core';
import { badCredentials, PlatformError } from './answers.ts';
import type { AppInstallation, Credential } from './model.ts';

/** Who may ask: personal tokens, installed apps and the installation tokens that their JWTs buy. */
export class Credentials {
  readonly installations: AppInstallation[] = [];
  #clock: Clock;
  #random: Random;
  #tokens = new Map<string, Credential & { readonly expiresAt?: number }>();
  #seenJwtIds = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  addToken(token: string, credential: Omit<Credential, 'kind'>): void {
    this.#tokens.set(token, { ...credential, kind: 'token' });
  }

  revokeToken(token: string): void {
    this.#tokens.delete(token);
  }

  install(installation: AppInstallation): void {
    this.installations.push(installation);
  }

  /** `Authorization: token …` or `Bearer …` of a personal or installation token. */
  authenticate(authorization: string | undefined): Credential & { readonly token: string } {
    const token = /^(?:token|bearer)\s+(\S+)$/i.exec(authorization ?? '')?.[1];
    const credential = token === undefined ? undefined : this.#tokens.get(token);
    if (token === undefined || credential === undefined) throw badCredentials();
    if (credential.expiresAt !== undefined && this.#clock.now() >= credential.expiresAt) throw badCredentials();
    return { ...credential, token };
  }

  /** The installations of the app whose JWT this is. Two identical JWTs at the same time may be refused. */
  authenticateApp(authorization: string | undefined): readonly AppInstallation[] {
    const jwt = /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    const [head = '', payload = '', signature = ''] = jwt.split('.');
    const claims = readClaims(payload);
    const own = this.installations.filter(({ appId }) => String(appId) === String(claims.iss));
    const [first] = own;
    const verified =
      first !== undefined &&
      createVerify('RSA-SHA256').update(`${head}.${payload}`).verify(first.publicKey, signature, 'base64url');
    if (!verified) throw new PlatformError(401, 'A JSON web token could not be decoded');
    this.#checkLife(claims);
    if (this.#seenJwtIds.has(signature)) throw new PlatformError(404, 'Integration not found');
    this.#seenJwtIds.set(signature, this.#clock.now());
    this.#forgetOldJwts();
    return own;
  }

  /** An installation token, valid for an hour. */
  mint(installation: AppInstallation): { readonly token: string; readonly expiresAt: number } {
    const token = `ghs_${this.#random.hex(36)}`;
    const expiresAt = this.#clock.now() + 3_600_000;
    const account = `installation ID ${installation.id}`;
    const { org, mayManageRunners } = installation;
    this.#tokens.set(token, { account, kind: 'installation', org, mayManageRunners, expiresAt });
    return { token, expiresAt };
  }

  /** docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App": at most ten minutes into the future. */
  #checkLife(claims: Claims): void {
    const now = this.#clock.now() / 1000;
    if (claims.exp === undefined || claims.exp <= now || claims.exp > now + 600)
      throw new PlatformError(401, "'Expiration time' claim ('exp') is too far in the future");
    if (claims.iat === undefined || claims.iat > now + 30)
      throw new PlatformError(
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
  }

  #forgetOldJwts(): void {
    for (const [signature, at] of this.#seenJwtIds)
      if (this.#clock.now() - at > 600_000) this.#seenJwtIds.delete(signature);
  }
}

interface Claims {
  readonly iss?: string | number;
  readonly iat?: number;
  readonly exp?: number;
}

function readClaims(payload: string): Claims {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  } catch {
    return {};
  }
}

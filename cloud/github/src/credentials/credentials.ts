import type { Clock, Random } from '@drover/core';
import { badCredentials, GitHubError, notFound, requiresAuthentication } from '../http/responses.ts';
import type { AppInstallation, Credential } from '../model.ts';
import { verifyAppJwt } from './app-jwt.ts';

/** A credential with the token that stands for it. */
export type PresentedCredential = Credential & { readonly token: string };

/** An app that showed its JWT. */
export interface PresentedApp {
  readonly appId: number;
  readonly account: string;
  readonly signature: string;
}

interface HeldToken extends Credential {
  readonly installationId?: number;
}

const hourMs = 3_600_000;

/** Credentials that may call: personal tokens, installed apps and the installation tokens that their JWTs buy. */
export class Credentials {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #installations = new Map<number, AppInstallation>();
  readonly #suspendedAt = new Map<number, number>();
  readonly #tokens = new Map<string, HeldToken>();
  readonly #spentJwts = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get installations(): readonly AppInstallation[] {
    return [...this.#installations.values()];
  }

  addToken(token: string, credential: Omit<Credential, 'kind'>): void {
    this.#tokens.set(token, { ...credential, kind: 'token' });
  }

  /** A personal or installation token is void from now on. */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
  }

  install(installation: AppInstallation): void {
    this.#installations.set(installation.id, installation);
  }

  /** The app is removed from the organisation: its tokens are void. */
  uninstall(installationId: number): void {
    this.#installations.delete(installationId);
    for (const [token, held] of this.#tokens) if (held.installationId === installationId) this.#tokens.delete(token);
  }

  /** docs.github.com, "Suspending a GitHub App installation": nothing of it works until it is let in again. */
  suspend(installationId: number): void {
    this.#suspendedAt.set(installationId, this.#clock.now());
  }

  unsuspend(installationId: number): void {
    this.#suspendedAt.delete(installationId);
  }

  suspendedAt(installationId: number): number | undefined {
    return this.#suspendedAt.get(installationId);
  }

  /** The account whose limits a request counts against, if any. */
  accountOf(authorization: string | undefined): string | undefined {
    return this.#tokens.get(tokenIn(authorization) ?? '')?.account;
  }

  /** `Authorization: token …` or `Bearer …` of a personal or installation token. */
  authenticate(authorization: string | undefined): PresentedCredential {
    if (authorization === undefined) throw requiresAuthentication();
    const token = tokenIn(authorization);
    const held = this.#tokens.get(token ?? '');
    if (token === undefined || held === undefined) throw badCredentials();
    if (held.expiresAt !== undefined && this.#clock.now() >= held.expiresAt) throw badCredentials();
    if (held.installationId !== undefined) this.#refuseSuspended(held.installationId);
    return { ...held, token };
  }

  /** The app whose JWT this is. */
  authenticateApp(authorization: string | undefined): PresentedApp {
    const jwt = /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    const { iss, signature } = verifyAppJwt(jwt, this.installations, this.#clock.now());
    return { appId: iss, account: `app ID ${iss}`, signature };
  }

  installationsOf(app: PresentedApp): readonly AppInstallation[] {
    return this.installations.filter(({ appId }) => appId === app.appId);
  }

  /**
   * An installation token, valid for an hour. A JWT that has bought a token buys no second one: identical JWTs, as two
   * programs make them in the same second without a `jti`, were seen to be refused with 404
   * (github-aws-runners/terraform-aws-github-runner issue 5025). Here that is certain, there it is likely.
   */
  mint(
    app: PresentedApp,
    installationId: number,
  ): { readonly token: string; readonly expiresAt: number; readonly installation: AppInstallation } {
    const installation = this.#installations.get(installationId);
    if (installation?.appId !== app.appId || this.#spentJwts.has(app.signature)) throw notFound();
    this.#refuseSuspended(installationId);
    this.#spend(app.signature);
    this.#forgetExpired();
    const token = `ghs_${this.#random.hex(36)}`;
    const expiresAt = this.#clock.now() + hourMs;
    const { org, mayManageRunners } = installation;
    const account = `installation ID ${installation.id}`;
    this.#tokens.set(token, { account, kind: 'installation', org, mayManageRunners, expiresAt, installationId });
    return { token, expiresAt, installation };
  }

  #refuseSuspended(installationId: number): void {
    if (this.#suspendedAt.has(installationId)) throw new GitHubError(403, 'This installation has been suspended');
  }

  /** A JWT lives ten minutes at most; after that it is refused anyway. */
  #spend(signature: string): void {
    const now = this.#clock.now();
    for (const [spent, at] of this.#spentJwts) if (now - at > hourMs) this.#spentJwts.delete(spent);
    this.#spentJwts.set(signature, now);
  }

  #forgetExpired(): void {
    for (const [token, { kind, expiresAt = Number.POSITIVE_INFINITY }] of this.#tokens)
      if (kind === 'installation' && expiresAt < this.#clock.now()) this.#tokens.delete(token);
  }
}

const tokenIn = (authorization: string | undefined) => /^(?:token|bearer)\s+(\S+)$/i.exec(authorization ?? '')?.[1];

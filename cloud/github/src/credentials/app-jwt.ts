import { createVerify } from 'node:crypto';
import { GitHubError } from '../http/responses.ts';
import type { AppInstallation } from '../model.ts';

export interface AppClaims {
  readonly iss: number;
  readonly signature: string;
}

/** The longest that `exp` may lie ahead. */
const longestLifeSeconds = 600;

/**
 * An app's JWT: RS256, signed with the app's key, `iat` not in the future, `exp` at most ten minutes ahead
 * (docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App"). No leeway: a caller's clock may be fast.
 */
export function verifyAppJwt(jwt: string, installations: readonly AppInstallation[], now: number): AppClaims {
  const [head = '', payload = '', signature = ''] = jwt.split('.');
  const claims = readSegment(payload);
  if (readSegment(head)?.alg !== 'RS256' || claims === undefined) throw undecodable();
  const app = installations.find(({ appId }) => String(appId) === String(claims.iss));
  if (app === undefined) throw new GitHubError(404, 'Integration not found', { page: 'rest' });
  const verifier = createVerify('RSA-SHA256').update(`${head}.${payload}`);
  if (!verifier.verify(app.publicKey, signature, 'base64url')) throw undecodable();
  checkLife(claims, now / 1000);
  return { iss: app.appId, signature };
}

function checkLife(claims: Readonly<Record<string, unknown>>, nowSeconds: number): void {
  const { iat, exp } = claims;
  if (typeof exp !== 'number' || exp <= nowSeconds)
    throw refused(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > nowSeconds + longestLifeSeconds) throw refused("'Expiration time' claim ('exp') is too far in the future");
  if (typeof iat !== 'number' || !Number.isInteger(iat) || iat > nowSeconds)
    throw refused("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued");
}

const refused = (message: string) => new GitHubError(401, message, { page: 'rest' });
const undecodable = () => refused('A JSON web token could not be decoded');

function readSegment(segment: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(Buffer.from(segment, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

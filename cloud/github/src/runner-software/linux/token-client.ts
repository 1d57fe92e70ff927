import { constants, createPrivateKey, sign } from 'node:crypto';
import type { Clock, Random } from '@drover/core';
import type { RsaParameters } from '../../actions-service/runner-keys.ts';
import type { RunnerIdentity } from '../ports.ts';

/** GitHub says that there is no such client: the registration is deleted. */
export class InvalidClient extends Error {}

/** The form by which a runner asks for a token: an assertion signed with its own key (actions/runner, VssOAuthJwtBearerAssertion.cs). */
export function tokenForm(identity: RunnerIdentity, clock: Clock, random: Random): string {
  const { clientId, authorizationUrl, fips } = identity;
  const now = Math.floor(clock.now() / 1_000);
  const claims = { sub: clientId, jti: random.uuid(), iss: clientId, aud: authorizationUrl, nbf: now, exp: now + 300 };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encode({ typ: 'JWT', alg: fips ? 'PS256' : 'RS256' })}.${encode(claims)}`;
  const padding = fips
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { padding: constants.RSA_PKCS1_PADDING };
  const signature = sign('sha256', Buffer.from(unsigned), { key: privateKeyIn(identity.key), ...padding });
  return new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${unsigned}.${signature.toString('base64url')}`,
  }).toString();
}

function privateKeyIn(text: string) {
  const { modulus, exponent, d, p, q, dp, dq, inverseQ } = JSON.parse(text) as RsaParameters;
  const url = (value: string) => Buffer.from(value, 'base64').toString('base64url');
  const numbers = { n: url(modulus), e: url(exponent), d: url(d), p: url(p), q: url(q), dp: url(dp), dq: url(dq) };
  return createPrivateKey({ key: { kty: 'RSA', ...numbers, qi: url(inverseQ) }, format: 'jwk' });
}

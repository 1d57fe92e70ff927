import { createHash, X509Certificate } from 'node:crypto';
import { Secret, TerminalError } from '@drover/core';
import { authorityEnvironment as names } from '@drover/core/names/search-cluster';
import type { AuthorityAct, AuthorityPhase, AuthorityState } from '@drover/search-cluster';
import { certificatesIn, sortedName } from '@drover/search-cluster';
import { type ModuleRuntime, required } from '../module-function.ts';
import { type AuthoritySecret, authoritySecret } from './authority-secrets.ts';
import { belongTogether, certify, makeKey } from './make-authority.ts';

/** The request of an operator: what to do, if the secrets are still those that it was decided for. */
interface RotationRequest {
  readonly rotate: AuthorityAct | 'look';
  readonly digest?: string;
}

interface Found {
  /** The first one signs. */
  readonly certificates: readonly string[];
  readonly key: Secret;
  /** The key of the authority that is to sign next. */
  readonly next: Secret | undefined;
  readonly phase: AuthorityPhase;
  readonly digest: string;
}

export type RotationRuntime = ModuleRuntime<'secretsmanager'>;

/**
 * Takes the two secrets from one phase of a rotation to the next. It alone sees the keys: when the nodes are ready for an
 * act decides who asks. An act on other secrets than it was decided for changes nothing.
 */
export async function rotate(
  runtime: RotationRuntime,
  { rotate: act, digest }: RotationRequest,
): Promise<AuthorityState> {
  const secrets = openSecrets(runtime);
  const found = await look(secrets);
  if (act === 'look' || digest !== found.digest) return stateOf(found);
  const before = found.phase;
  await acts[act](runtime, secrets, found);
  const now = await look(secrets);
  runtime.log.info('the authority of the nodes has reached another phase', { before, phase: now.phase });
  return stateOf(now);
}

interface Secrets {
  readonly certificate: AuthoritySecret;
  readonly key: AuthoritySecret;
}

function openSecrets({ aws, env }: RotationRuntime): Secrets {
  const open = (id: string) => authoritySecret(aws, id);
  return { certificate: open(required(env, names.certificate)), key: open(required(env, names.key)) };
}

async function look(secrets: Secrets): Promise<Found> {
  const certificate = await secrets.certificate.read();
  const key = await secrets.key.read();
  const pending = await secrets.key.read('AWSPENDING');
  if (certificate === undefined || key === undefined) throw unknown('the secrets of the authority are not filled');
  const certificates = certificatesIn(certificate.reveal());
  const next = pending?.reveal() === key.reveal() ? undefined : pending;
  const digest = createHash('sha256')
    .update([certificate, key, next].map((each) => each?.reveal() ?? '').join('\0'))
    .digest('hex');
  return { certificates, key, next, phase: await phaseOf(certificates, key, next), digest };
}

async function phaseOf(
  certificates: readonly string[],
  key: Secret,
  next: Secret | undefined,
): Promise<AuthorityPhase> {
  const [first, second, ...more] = certificates;
  if (first === undefined || more.length > 0)
    throw unknown(`the certificate secret holds ${certificates.length} certificates, not one or two`);
  const signs = await belongTogether(first, key);
  if (second === undefined) {
    if (signs) return 'settled';
    throw unknown('the key does not belong to the certificate of the authority');
  }
  if (!signs) {
    if (await belongTogether(second, key)) return 'half-signed';
    throw unknown('the key belongs to none of the two certificates');
  }
  if (madeAt(second) <= madeAt(first)) return 'signs';
  if (next === undefined)
    throw unknown('a second authority is trusted whose key is not in the secret: it was made by hand');
  return (await belongTogether(second, next)) ? 'trusted' : 'half-trusted';
}

const unknown = (why: string) =>
  new TerminalError(why, {
    remedy: 'finish by hand: put the certificate that belongs to the key first, or alone if no node has another one',
  });

const madeAt = (certificate: string) => Date.parse(new X509Certificate(certificate).validFrom);

const acts = {
  /** The next key is stored first, so that a run that ended between the two is finished by the next one. */
  async trust({ clock, random, env }: RotationRuntime, secrets: Secrets, { certificates, next, phase }: Found) {
    if (phase !== 'settled' && phase !== 'half-trusted') throw outOfOrder('trust', phase);
    const key = next ?? (await makeKey());
    if (next === undefined) await secrets.key.write(key, random.uuid(), ['AWSPENDING']);
    // A name has at most 64 characters (RFC 5280, ub-common-name), and a cluster's 40.
    const commonName = `${required(env, names.cluster)} node authority ${random.hex(8)}`;
    const made = await certify(key, { commonName, clock, random, after: madeAt(certificates[0]!) });
    await put(secrets.certificate, [certificates[0]!, made], random.uuid());
  },
  /** The key first: nodes have a valid certificate, and sign another one when they see another first one. */
  async sign({ random }: RotationRuntime, secrets: Secrets, { certificates, next, phase }: Found) {
    if (phase !== 'trusted' && phase !== 'half-signed') throw outOfOrder('sign', phase);
    if (phase === 'trusted') await secrets.key.write(next!, random.uuid());
    await put(secrets.certificate, [certificates[1]!, certificates[0]!], random.uuid());
  },
  async forget({ random }: RotationRuntime, secrets: Secrets, { certificates, phase }: Found) {
    if (phase !== 'signs') throw outOfOrder('forget', phase);
    await put(secrets.certificate, [certificates[0]!], random.uuid());
  },
};

const outOfOrder = (act: string, phase: string) => new TerminalError(`${act} does not follow ${phase}`);

const put = (secret: AuthoritySecret, certificates: readonly string[], requestId: string) =>
  secret.write(new Secret(certificates.map((each) => `${each.trim()}\n`).join('')), requestId);

function stateOf({ phase, certificates, digest }: Found): AuthorityState {
  const authorities = certificates.map((certificate) => {
    const { subject, validFrom, validTo } = new X509Certificate(certificate);
    return { subject: sortedName(subject), madeAt: Date.parse(validFrom), endsAt: Date.parse(validTo) };
  });
  return { phase, authorities, digest };
}

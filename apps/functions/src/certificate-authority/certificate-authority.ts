import { Secret, TerminalError } from '@drover/core';
import { type CustomResourceEvent, customResource, property } from '../custom-resource.ts';
import { type AuthoritySecret, authoritySecret } from './authority-secrets.ts';
import { belongTogether, certify, makeKey } from './make-authority.ts';
import { type RotationRuntime, rotate } from './rotation.ts';

/**
 * `Custom::CertificateAuthority`: fills the two secrets of a search cluster's authority when they are empty, and never
 * again. Deleting it leaves them alone. An operator may replace the authority, one phase after the other. Keys go into
 * their secret and nowhere else.
 */
export function certificateAuthorityFunction(runtime: RotationRuntime): (event: unknown) => Promise<unknown> {
  const request = customResource(runtime, async (event) => {
    const certificateId = property(event, 'CertificateSecret');
    const physicalId = event.PhysicalResourceId ?? certificateId;
    if (event.RequestType === 'Delete') return physicalId;
    const certificate = authoritySecret(runtime.aws, certificateId);
    const key = authoritySecret(runtime.aws, property(event, 'KeySecret'));
    await ensureAuthority({ certificate, key }, event, runtime);
    return physicalId;
  });
  return async (event) => {
    if ((event as Partial<CustomResourceEvent>).ResponseURL !== undefined) return await request(event);
    return await rotate(runtime, event as Parameters<typeof rotate>[1]);
  };
}

interface Stored {
  readonly certificate: AuthoritySecret;
  readonly key: AuthoritySecret;
}

/** The key first: a run that ended between the two is finished by the next one. */
async function ensureAuthority(stored: Stored, event: CustomResourceEvent, runtime: RotationRuntime) {
  const { log, clock, random } = runtime;
  const found = { certificate: await stored.certificate.read(), key: await stored.key.read() };
  if (found.certificate !== undefined) {
    await checkFound(found.certificate, found.key);
    return log.info('the authority is there and stays as it is');
  }
  if (event.RequestType === 'Update')
    throw new TerminalError('the secret of the authority is empty, and an update never makes a new authority', {
      remedy: "put the authority's certificate back, or replace the cluster",
    });
  if (found.key === undefined) await stored.key.write(await makeKey(), event.RequestId);
  const key = await stored.key.read();
  if (key === undefined) throw new TerminalError('the key of the authority was stored, but cannot be read');
  const commonName = property(event, 'CommonName');
  await stored.certificate.write(new Secret(await certify(key, { commonName, clock, random })), event.RequestId);
  log.info('the authority is made', { commonName });
}

async function checkFound(certificate: Secret, key: Secret | undefined): Promise<void> {
  if (key !== undefined && (await belongTogether(certificate.reveal(), key))) return;
  throw new TerminalError('the certificate of the authority is there, but its key is not', {
    remedy: 'put back the version of the key that belongs to the certificate',
  });
}

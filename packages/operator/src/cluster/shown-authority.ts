import { X509Certificate } from 'node:crypto';
import { secretVersions } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { type AuthorityState, certificatesIn, sortedName } from '@drover/search-cluster';
import type { OpenCluster } from './open-cluster.ts';

/** The authority as its certificates alone show it: its key is read by nodes and one function. */
export type ShownAuthority = Pick<AuthorityState, 'phase' | 'authorities'>;

export async function readAuthority({ nodeAws, outputs }: OpenCluster): Promise<ShownAuthority> {
  const secretId = outputs.get('ca_certificate_secret_id');
  if (secretId === undefined) throw new TerminalError('the stack has no output ca_certificate_secret_id');
  const text = (await secretVersions(nodeAws).read(secretId, 'AWSCURRENT'))?.value ?? '';
  const authorities = certificatesIn(text).map((certificate) => {
    const { subject, validFrom, validTo } = new X509Certificate(certificate);
    return { subject: sortedName(subject), madeAt: Date.parse(validFrom), endsAt: Date.parse(validTo) };
  });
  const [first, second] = authorities;
  if (first === undefined) throw new TerminalError('the secret of the authority holds no certificate');
  const phase = second === undefined ? 'settled' : second.madeAt > first.madeAt ? 'trusted' : 'signs';
  return { phase, authorities };
}

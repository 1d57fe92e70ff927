import { clusterMetrics } from '@drover/adapters/aws';
import { describeError } from '@drover/core';
import { certificateFiles } from '@drover/core/names/search-cluster';
import { certificateDays } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { readInstanceFacts, resourceNameIn } from '../../facts.ts';
import { attempt } from '../attempt.ts';

/** Publishes for how many days the certificates of this node are valid. A failure is only a warning: the node must start. */
export const publishCertificate = (context: Context): Promise<void> =>
  attempt(context, 'how long the certificate is good could not be published', async () => {
    const values = certificateDays(await endsOfCertificates(context), context.io.clock.now());
    if (Object.keys(values).length === 0) return;
    const { clients } = await context.aws();
    const resourceName = resourceNameIn(await readInstanceFacts(context.io.files));
    await clusterMetrics(clients).put(resourceName, values);
  });

/** None before the first configuration run. Of several authorities in a file the first one signed the certificate. */
async function endsOfCertificates({ io, log }: Context): Promise<readonly number[]> {
  // Loaded here: every run of every command would pay for it otherwise. Not by `import`, which takes real time in a simulation at each call.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const ends: number[] = [];
  for (const path of Object.values(certificateFiles)) {
    const text = await io.files.read(path);
    try {
      if (text !== undefined) ends.push(Date.parse(new X509Certificate(text).validTo));
    } catch (error) {
      log.warn(`${path} is no certificate: ${describeError(error)}`);
    }
  }
  return ends;
}

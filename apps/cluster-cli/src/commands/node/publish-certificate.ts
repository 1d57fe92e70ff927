import { X509Certificate } from 'node:crypto';
import { clusterMetrics } from '@drover/adapters/aws';
import { describeError } from '@drover/core';
import { certificateFiles } from '@drover/core/names/search-cluster';
import { certificateDays } from '@drover/search-cluster/decide/certificate-days';
import { clusterAws } from '../../aws.ts';
import type { Context } from '../../context.ts';

/** Tells the alarm how long the certificates of this node are good. Whatever goes wrong is a warning: a node must start. */
export async function publishCertificate(context: Context, clusterName: string): Promise<void> {
  try {
    const values = certificateDays(await endsOfCertificates(context), context.io.clock.now());
    if (Object.keys(values).length > 0) await clusterMetrics(clusterAws(context)).put(clusterName, values);
  } catch (error) {
    context.log.warn(`how long the certificate is good could not be published: ${describeError(error)}`);
  }
}

/** None before the first configuration run. Of several authorities in a file the first has signed the certificate. */
async function endsOfCertificates({ io, log }: Context): Promise<readonly number[]> {
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

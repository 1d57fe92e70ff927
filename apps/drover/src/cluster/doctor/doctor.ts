import { type DroverIo, serviceNow } from '../../io.ts';
import { findingText } from '../../render/findings.ts';
import { type Format, json } from '../../render/table.ts';
import { type ClusterOptions, openCluster } from '../open-cluster.ts';
import { diagnose } from './checks.ts';
import { gatherFacts } from './facts.ts';

/** `drover cluster doctor`: exit code 0 when nothing is wrong, 1 when something is. */
export async function clusterDoctor(io: DroverIo, options: ClusterOptions & { format: Format }): Promise<number> {
  const cluster = await openCluster(io, options);
  const findings = diagnose(await gatherFacts(cluster, serviceNow(io)));
  const version = cluster.outputs.get('module_version') ?? 'unknown';
  if (options.format === 'json') io.stdout(json({ cluster: cluster.clusterName, moduleVersion: version, findings }));
  else io.stdout(`${cluster.clusterName}, module version ${version}\n${findings.map(findingText).join('')}`);
  return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
}

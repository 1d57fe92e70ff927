import { report } from '../../doctor/findings.ts';
import { type DroverIo, serviceNow } from '../../io.ts';
import type { Format } from '../../render/table.ts';
import { type ClusterOptions, openCluster } from '../open-cluster.ts';
import { clusterFindings } from './checks.ts';
import { gatherFacts } from './facts.ts';
import { survivalOf } from './survives.ts';

/** `drover cluster doctor`: exit code 1 if it finds a problem, 3 if it finds none but could not make every check. */
export async function clusterDoctor(io: DroverIo, options: ClusterOptions & { format: Format }): Promise<number> {
  const cluster = await openCluster(io, options);
  const facts = await gatherFacts(cluster, serviceNow(io));
  const diagnosis = { findings: clusterFindings(facts), survives: survivalOf(facts).line };
  return report(io, options.format, { cluster: cluster.clusterName }, cluster.outputs, diagnosis);
}

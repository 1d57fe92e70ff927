import { diagnose, report } from '../../doctor/findings.ts';
import { type DroverIo, serviceNow } from '../../io.ts';
import type { Format } from '../../render/table.ts';
import { type ClusterOptions, openCluster } from '../open-cluster.ts';
import { checks } from './checks.ts';
import { gatherFacts } from './facts.ts';

/** `drover cluster doctor`: exit code 1 if it finds a problem. */
export async function clusterDoctor(io: DroverIo, options: ClusterOptions & { format: Format }): Promise<number> {
  const cluster = await openCluster(io, options);
  const findings = diagnose(checks, await gatherFacts(cluster, serviceNow(io)));
  return report(io, options.format, { cluster: cluster.clusterName }, cluster.outputs, findings);
}

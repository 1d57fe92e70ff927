import { clusterFindings } from '@drover/operator/cluster/doctor/checks';
import { gatherFacts as gatherCluster } from '@drover/operator/cluster/doctor/facts';
import type { Finding } from '@drover/operator/doctor/findings';
import { fleetFindings } from '@drover/operator/fleet/doctor/checks';
import { gatherFacts as gatherFleet } from '@drover/operator/fleet/doctor/facts';
import type { Attention } from '../../api.ts';
import type { Source } from '../rota.ts';
import type { Watched } from '../stacks.ts';

/** A doctor makes some thirty calls. */
const everyMs = 300_000;
const order: readonly Finding['verdict'][] = ['problem', 'notice', 'unknown'];

/** The findings of `drover fleet doctor` and `drover cluster doctor`. */
export function doctorReadings({ fleet, cluster }: Pick<Watched, 'fleet' | 'cluster'>, now: () => number) {
  const found = new Map<string, readonly Finding[]>();
  const source = (subject: string, examine: () => Promise<readonly Finding[]>): Source => ({
    what: `doctor: ${subject}`,
    everyMs,
    read: async () => void found.set(subject, await examine()),
  });
  const sources = [
    ...(fleet === undefined ? [] : [source('fleet', async () => fleetFindings(await gatherFleet(fleet, now())))]),
    ...(cluster === undefined
      ? []
      : [source('cluster', async () => clusterFindings(await gatherCluster(cluster, now())))]),
  ];
  return {
    sources,
    /** The worst first. */
    attention(): Attention {
      const all = [...found].flatMap(([subject, findings]) => findings.map((finding) => ({ subject, ...finding })));
      return {
        well: all.filter(({ verdict }) => verdict === 'ok').length,
        findings: order.flatMap((wanted) =>
          all
            .filter(({ verdict }) => verdict === wanted)
            .map(({ subject, verdict, check, condition, evidence, fix }) => ({
              subject,
              verdict: verdict as Attention['findings'][number]['verdict'],
              check,
              condition,
              evidence,
              fix,
            })),
        ),
      };
    },
  };
}

import { softwareTag } from '@drover/core/names/search-cluster';
import { reportIn } from '@drover/search-cluster';
import { notice, type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import { listed } from '../../render/short.ts';
import type { ClusterFacts } from './facts.ts';

/** Whether every node has the software of the stack: a deployment only says what they should have. */
export function softwareRoll({ software, instances }: ClusterFacts): Outcome {
  if (software.kind === 'failed') return unknown(`the state bucket could not be read: ${software.message}`);
  if (software.value === undefined) return ok('the nodes have their software from the user data');
  const { version, digest, proven } = software.value;
  const serving = instances.filter(({ lifecycleState }) => lifecycleState === 'InService');
  const reports = serving.map(({ instanceId, tags }) => ({ instanceId, report: reportIn(tags[softwareTag]) }));
  const of = (state: string) => reports.filter(({ report }) => report?.digest === digest && report.state === state);
  const failed = of('failed').map(({ instanceId, report }) => `${instanceId}: ${report?.because ?? 'no reason given'}`);
  const count = `${of('taken').length} of ${serving.length} nodes have ${version} (${digest})`;
  if (failed.length > 0)
    return problem(
      `${count}; ${listed(failed)}`,
      'mend it, then: drover cluster roll, which begins with that node; or withdraw it: drover cluster roll --back',
    );
  if (of('taken').length < serving.length) return notice(count, 'drover cluster roll');
  return proven ? ok(count) : notice(`${count}, but new instances take the one before`, 'drover cluster roll');
}

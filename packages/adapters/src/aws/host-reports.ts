import { tags } from '@drover/core/names/runner-fleet';
import type { HostPhase, HostReport, HostReports } from '@drover/runner-fleet';
import type { AwsCalls } from './calls/calls.ts';

type Aws = Pick<AwsCalls, 'ec2'>;

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;

/** What runner hosts report: one tag on each instance. */
export function hostReports(aws: Aws): HostReports {
  return {
    async read(instanceIds) {
      const reports = new Map<string, HostReport>();
      for (let start = 0; start < instanceIds.length; start += batchSize) {
        const Values = instanceIds.slice(start, start + batchSize);
        const { Tags = [] } = await aws.ec2('DescribeTags', {
          Filters: [
            { Name: 'resource-id', Values },
            { Name: 'key', Values: [tags.agentLiveness] },
          ],
          MaxResults: 1000,
        });
        for (const { ResourceId = '', Value = '' } of Tags) {
          const report = parseReport(Value);
          if (report !== undefined) reports.set(ResourceId, report);
        }
      }
      return reports;
    },
  };
}

/** `<time>/<phase>/<workers>`: short, and readable in the EC2 console. */
export const renderReport = (report: HostReport): string =>
  `${new Date(report.at).toISOString()}/${report.phase}/${report.workers}`;

/** Undefined for a tag that is not a report. */
export function parseReport(value: string): HostReport | undefined {
  const [time, phase, workers] = value.split('/');
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at) || phase === undefined || workers === undefined) return undefined;
  return { at, phase: phase as HostPhase, workers: Number(workers) };
}

/** Writes the report of one host. */
export async function writeReport(aws: Aws, instanceId: string, report: HostReport): Promise<void> {
  const Tags = [{ Key: tags.agentLiveness, Value: renderReport(report) }];
  await aws.ec2('CreateTags', { Resources: [instanceId], Tags });
}

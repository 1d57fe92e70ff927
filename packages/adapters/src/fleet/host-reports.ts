import { CreateTagsCommand, DescribeTagsCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { tags } from '@drover/core/names/runner-fleet';
import type { HostPhase, HostReport, HostReports } from '@drover/runner-fleet';

type Sender = Pick<EC2Client, 'send'>;
const mostIdsPerCall = 200;

/** What hosts write of themselves: one tag on each instance. */
export function hostReports(client: Sender): HostReports {
  return {
    async read(instanceIds) {
      const reports = new Map<string, HostReport>();
      for (let start = 0; start < instanceIds.length; start += mostIdsPerCall) {
        const ids = instanceIds.slice(start, start + mostIdsPerCall);
        const { Tags } = await client.send(
          new DescribeTagsCommand({
            Filters: [
              { Name: 'resource-id', Values: ids },
              { Name: 'key', Values: [tags.agentLiveness] },
            ],
          }),
        );
        for (const tag of Tags ?? []) {
          const report = parseReport(tag.Value ?? '');
          if (report !== undefined && tag.ResourceId !== undefined) reports.set(tag.ResourceId, report);
        }
      }
      return reports;
    },
  };
}

/** `<time>/<phase>/<workers>`: short, and readable in the EC2 console. */
export const renderReport = (report: HostReport): string =>
  `${new Date(report.at).toISOString()}/${report.phase}/${report.workers}`;

export function parseReport(value: string): HostReport | undefined {
  const [time, phase, workers] = value.split('/');
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at) || phase === undefined || workers === undefined) return undefined;
  return { at, phase: phase as HostPhase, workers: Number(workers) };
}

export async function writeReport(client: Sender, instanceId: string, report: HostReport): Promise<void> {
  await client.send(
    new CreateTagsCommand({
      Resources: [instanceId],
      Tags: [{ Key: tags.agentLiveness, Value: renderReport(report) }],
    }),
  );
}

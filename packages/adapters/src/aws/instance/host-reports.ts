import { TerminalError } from '@drover/core/errors';
import { tags } from '@drover/core/names/runner-fleet';
import type { HostPhase, HostReport, HostReports } from '@drover/runner-fleet';
import { instead } from '../../instead.ts';
import type { AwsCalls } from '../calls/calls.ts';
import { isAbsent } from '../stored-objects.ts';

/** Where hosts report: one small object for each, whose key is the prefix and the instance's id. */
export interface ReportPlace {
  readonly bucket: string;
  /** Ends with the part of an instance's ARN that stands before its id: IAM lets a host write under its own ARN only. */
  readonly prefix: string;
}

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;
/** Number of objects read at a time. */
const readsAtOnce = 10;

/** Reads the reports of runner hosts. */
export function hostReports(aws: Pick<AwsCalls, 's3'>, place: ReportPlace): HostReports {
  return {
    async read(instanceIds) {
      const reports = new Map<string, HostReport>();
      for (let start = 0; start < instanceIds.length; start += readsAtOnce)
        await Promise.all(
          instanceIds.slice(start, start + readsAtOnce).map(async (id) => {
            const report = await readReport(aws, place, id);
            if (report !== undefined) reports.set(id, report);
          }),
        );
      return reports;
    },
  };
}

/** Reads also what agents of release 0.1.0 report; a function whose role may not read tags has no such agents. */
export function hostReportsAndTags(aws: Pick<AwsCalls, 's3' | 'ec2'>, place: ReportPlace): HostReports {
  return {
    async read(instanceIds) {
      const reports = new Map(await hostReports(aws, place).read(instanceIds));
      const silent = instanceIds.filter((id) => !reports.has(id));
      await addTags(aws, silent, reports);
      return reports;
    },
  };
}

/** When it was written is S3's word: the clock of a host may be wrong. */
async function readReport(
  aws: Pick<AwsCalls, 's3'>,
  { bucket, prefix }: ReportPlace,
  instanceId: string,
): Promise<HostReport | undefined> {
  const asked = aws.s3('GetObject', { Bucket: bucket, Key: `${prefix}${instanceId}` });
  const object = await asked.catch(instead(isAbsent, undefined));
  const report = object && parseReport(object.Body);
  return report && { ...report, at: object.LastModified?.getTime() ?? report.at };
}

/** Undefined for a text that is not a report. */
export function parseReport(text: string): HostReport | undefined {
  try {
    const report = JSON.parse(text) as Partial<HostReport>;
    return typeof report.at === 'number' && typeof report.workers === 'number' && report.phase !== undefined
      ? (report as HostReport)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the report of one host. */
export async function writeReport(
  aws: Pick<AwsCalls, 's3'>,
  place: ReportPlace | undefined,
  instanceId: string,
  report: HostReport,
): Promise<void> {
  if (place === undefined)
    throw new TerminalError('this host was not told where to report', { remedy: 'replace it: its user data is older' });
  const object = { Bucket: place.bucket, Key: `${place.prefix}${instanceId}`, ContentType: 'application/json' };
  await aws.s3('PutObject', { ...object, Body: JSON.stringify(report) });
}

/** Agents of release 0.1.0 report by a tag on their instance; they drain for at most as long as the update takes. */
async function addTags(
  aws: Pick<AwsCalls, 'ec2'>,
  instanceIds: readonly string[],
  reports: Map<string, HostReport>,
): Promise<void> {
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
      const report = parseTag(Value);
      if (report !== undefined) reports.set(ResourceId, report);
    }
  }
}

/** `<time>/<phase>/<workers>` */
export function parseTag(value: string): HostReport | undefined {
  const [time, phase, workers] = value.split('/');
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at) || phase === undefined || workers === undefined) return undefined;
  return { at, phase: phase as HostPhase, workers: Number(workers) };
}

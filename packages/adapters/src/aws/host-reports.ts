import { tags } from '@drover/core/names/runner-fleet';
import type { HostPhase, HostReport, HostReports } from '@drover/runner-fleet';
import { awsFailure, dnsSuffix, type SdkNeighbour, sendSigned } from './signed-request.ts';

/** Where instances carry what their hosts say. */
export interface Ec2Place {
  readonly neighbour: SdkNeighbour;
  /** @default the region's own */
  readonly endpoint?: string | undefined;
}

const mostIdsPerCall = 200;
const apiVersion = '2016-11-15';

/** What hosts write of themselves: one tag on each instance. */
export function hostReports(place: Ec2Place): HostReports {
  return {
    async read(instanceIds) {
      const reports = new Map<string, HostReport>();
      for (let start = 0; start < instanceIds.length; start += mostIdsPerCall)
        for (const [id, value] of await describeTag(place, instanceIds.slice(start, start + mostIdsPerCall))) {
          const report = parseReport(value);
          if (report !== undefined) reports.set(id, report);
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

export async function writeReport(place: Ec2Place, instanceId: string, report: HostReport): Promise<void> {
  await call(place, 'CreateTags', {
    'ResourceId.1': instanceId,
    'Tag.1.Key': tags.agentLiveness,
    'Tag.1.Value': renderReport(report),
  });
}

async function describeTag(place: Ec2Place, ids: readonly string[]): Promise<[string, string][]> {
  const named = Object.fromEntries(ids.map((id, index) => [`Filter.1.Value.${index + 1}`, id]));
  const body = await call(place, 'DescribeTags', {
    'Filter.1.Name': 'resource-id',
    ...named,
    'Filter.2.Name': 'key',
    'Filter.2.Value.1': tags.agentLiveness,
    MaxResults: '1000',
  });
  return [...body.matchAll(/<item>([\s\S]*?)<\/item>/g)].map(([, item = '']) => [
    element(item, 'resourceId'),
    element(item, 'value'),
  ]);
}

async function call(place: Ec2Place, action: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const region = await place.neighbour.config.region();
  const answer = await sendSigned(
    place.neighbour,
    {
      service: 'ec2',
      method: 'POST',
      host: `ec2.${region}.${dnsSuffix(region)}`,
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams({ Action: action, Version: apiVersion, ...parameters }).toString(),
    },
    place.endpoint,
  );
  if (answer.status >= 300) throw awsFailure(answer, action);
  return answer.body;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function element(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => entities[entity]!);
}

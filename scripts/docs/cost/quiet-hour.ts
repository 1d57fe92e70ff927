import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultVendor,
  type FunctionSuffix,
  functionLogGroup,
  functionName,
  functionsOf,
  groupDimension,
  metrics as metricNames,
  metricNamespace,
  type ScalingMode,
} from '@drover/core/names/runner-fleet';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';

const minute = 60_000;
const groupName = 'runners';

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: properties of any resource type
  readonly Properties: any;
}

/** The usage of a fleet without jobs in an hour. */
export interface QuietHour {
  readonly resources: readonly Resource[];
  readonly runs: readonly { readonly suffix: FunctionSuffix; readonly memoryMb: number; readonly seconds: number }[];
  /** Requests to AWS by operation. */
  readonly requests: Readonly<Record<string, number>>;
  /** Names of the metrics that were published, with their groups. */
  readonly metrics: ReadonlySet<string>;
  readonly logBytes: number;
}

/**
 * Deploys a fleet with its functions outside a VPC, lets it come to rest, and watches it for an hour: in jobs mode one without instances, in
 * idle mode one with a runner that waits.
 */
export async function quietHour(inputs: FleetProps = {}): Promise<QuietHour> {
  process.env.CDK_VALIDATION = 'false';
  const { assembly, mode, resources } = quietTemplate(inputs);
  const fleet = new DeployedFleet({ assembly, groupName, types: Object.keys(inputs.types ?? {}), transport: 'direct' });
  await fleet.deploy();
  await fleet.drive(fleet.clock.sleep(45 * minute), 50 * minute);
  return { resources, ...(await watch(fleet, mode, resources)) };
}

/** The template of such a fleet. */
export function quietTemplate(inputs: FleetProps) {
  const mode = inputs.scalingMode ?? 'jobs';
  const runners = mode === 'jobs' ? 0 : 1;
  const sizes = { asgMinSize: runners, asgMaxSize: 10, idleRunnersTargetCount: runners, warmPoolMaxSize: 0 };
  const props: FleetProps = { groupName, scalingMode: mode, ...sizes, ...inputs };
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-cost-')), props, 'outside');
  const file = readdirSync(assembly).find((name) => name.endsWith('.template.json'))!;
  const { Resources } = JSON.parse(readFileSync(join(assembly, file), 'utf8')) as Record<
    string,
    Record<string, Resource>
  >;
  return { assembly, mode, resources: Object.values(Resources!) };
}

async function watch(
  fleet: DeployedFleet,
  mode: ScalingMode,
  resources: readonly Resource[],
): Promise<Omit<QuietHour, 'resources'>> {
  const { engine, observe } = fleet.world;
  const suffixes = functionsOf(mode);
  const logged = () =>
    suffixes
      .flatMap((suffix) => observe.logLines(functionLogGroup('/aws/lambda', functionName(groupName, suffix))))
      .join('\n').length;
  const runs: QuietHour['runs'][number][] = [];
  const requests: Record<string, number> = {};
  const metrics = new Set<string>();
  const stop = engine.journal.subscribe(({ kind, source, name, subject, detail }) => {
    if (kind === 'request' && source.startsWith('aws.')) requests[name] = (requests[name] ?? 0) + 1;
    const suffix = suffixes.find((one) => functionName(groupName, one) === subject);
    if (source !== 'aws.lambda' || suffix === undefined) return;
    if (name !== 'succeeded') throw new Error(`${subject} ${name} in an hour in which nothing happens`);
    const { MemorySize } = resources.find(({ Properties }) => Properties?.FunctionName === subject)!.Properties;
    runs.push({ suffix, memoryMb: MemorySize, seconds: Number(detail?.durationMs) / 1000 });
  });
  const before = logged();
  const began = engine.clock.now();
  await fleet.drive(fleet.clock.sleep(60 * minute), 61 * minute);
  stop();
  const namespace = metricNamespace(defaultVendor);
  for (const name of Object.values(metricNames))
    for (const group of fleet.groupNames) {
      const metric = { namespace, name, dimensions: { [groupDimension]: group } };
      if (observe.lowestValues(metric, began, engine.clock.now()).length > 0) metrics.add(`${name} ${group}`);
    }
  return { runs, requests, metrics, logBytes: logged() - before };
}

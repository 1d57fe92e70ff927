import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { TerminalError } from '@drover/core';
import { functionLogGroup, functionLogPrefix } from '@drover/core/names/runner-fleet';
import { type OpenCluster, openCluster } from '@drover/operator/cluster/open-cluster';
import { type OpenFleet, openFleet } from '@drover/operator/fleet/open-fleet';
import type { DroverIo, OperatorClients } from '@drover/operator/io';
import { readStack, type StackOutputs } from '@drover/operator/output/read-outputs';

/** A function of the stacks, and where it logs. */
export interface WatchedFunction {
  readonly name: string;
  readonly logGroup: string;
}

/** The stacks that the console watches: a fleet, a cluster or both, with all alarms and functions of their stacks. */
export interface Watched {
  readonly aws: OperatorClients;
  readonly stackArns: readonly string[];
  readonly fleet: OpenFleet | undefined;
  readonly cluster: OpenCluster | undefined;
  readonly alarms: readonly string[];
  readonly functions: readonly WatchedFunction[];
}

export interface StackOptions {
  readonly stacks: readonly string[];
  /** The address of Elasticsearch. @default the stack's cluster_url */
  readonly url?: string | undefined;
}

/** Finds the fleet and the cluster in the named stacks. */
export async function openStacks(io: DroverIo, { stacks, url }: StackOptions): Promise<Watched> {
  const aws = await io.aws();
  const found: { stack: string; arn: string; outputs: StackOutputs; resources: Resource[] }[] = [];
  for (const stack of stacks) {
    const read = await readStack(aws.cloudformation, stack);
    found.push({ stack, ...read, resources: await resourcesOf(aws, stack) });
  }
  for (const { stack, outputs } of found) if (!isOurs(outputs)) throw notOurs(stack);
  const fleet = only('runner fleet', found, 'autoscaling_group_name');
  const cluster = only('search cluster', found, 'master_autoscaling_group_name');
  const resources = found.flatMap((one) => one.resources);
  return {
    aws,
    stackArns: found.map(({ arn }) => arn),
    fleet: fleet === undefined ? undefined : await openFleet(io, { stack: fleet, readOnly: true }),
    cluster: cluster === undefined ? undefined : await openCluster(io, { stack: cluster, url }),
    alarms: namesOf(resources, 'AWS::CloudWatch::Alarm'),
    functions: functionsIn(resources),
  };
}

interface Resource {
  readonly type: string;
  readonly name: string;
}

async function resourcesOf({ cloudformation }: OperatorClients, stack: string): Promise<Resource[]> {
  const resources: Resource[] = [];
  const pages = paginateListStackResources({ client: cloudformation }, { StackName: stack });
  // One that an update is creating has no name yet.
  for await (const { StackResourceSummaries = [] } of pages)
    for (const { ResourceType = '', PhysicalResourceId = '' } of StackResourceSummaries)
      if (PhysicalResourceId !== '') resources.push({ type: ResourceType, name: PhysicalResourceId });
  return resources;
}

const namesOf = (resources: readonly Resource[], type: string): string[] =>
  resources.filter((one) => one.type === type).map(({ name }) => name);

/** A function logs into a group of its stack that ends with its name, or into Lambda's own. */
function functionsIn(resources: readonly Resource[]): WatchedFunction[] {
  const groups = namesOf(resources, 'AWS::Logs::LogGroup');
  return namesOf(resources, 'AWS::Lambda::Function').map((name) => ({
    name,
    logGroup: groups.find((group) => group.endsWith(`/${name}`)) ?? functionLogGroup(functionLogPrefix, name),
  }));
}

const isOurs = (outputs: StackOutputs) =>
  outputs.has('autoscaling_group_name') || outputs.has('master_autoscaling_group_name');

const notOurs = (stack: string) =>
  new TerminalError(`the stack ${stack} has no runner fleet and no search cluster of Drover's`, {
    remedy: 'name the stacks that have one, such as --stack runner-fleet search-cluster',
  });

function only(
  what: string,
  found: readonly { readonly stack: string; readonly outputs: StackOutputs }[],
  output: string,
): string | undefined {
  const having = found.filter(({ outputs }) => outputs.has(output)).map(({ stack }) => stack);
  if (having.length <= 1) return having[0];
  throw new TerminalError(`${having.join(' and ')} have a ${what} each`, {
    remedy: 'a console shows one: start another with --port for the other',
  });
}

import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { isOlder } from '@drover/search-cluster';
import type { DroverIo } from '../io.ts';
import { readOutputs } from '../output/read-outputs.ts';

/** Where the web UI is deployed, and what it must come to. */
export interface WebUiStep {
  readonly to: string;
  readonly stack: string;
  /** The stack of the web UI. @default the cluster's */
  readonly uiStack?: string;
}

/**
 * The last step of an upgrade: Kibana, by its own deployment. Two versions of it at the same time may damage what it stores (Elastic, "Upgrade
 * Kibana"), so all old tasks are stopped first. Returns whether nothing is left to do.
 */
export async function webUiStep(io: DroverIo, { to, stack, uiStack = stack }: WebUiStep): Promise<boolean> {
  const { cloudformation } = await io.aws();
  const version = (await readOutputs(cloudformation, uiStack)).get('kibana_version');
  if (version === undefined) {
    io.stderr(`the web UI comes last: --ui-stack STACK looks at it; ${uiStack} has none\n`);
    return uiStack === stack;
  }
  if (!isOlder(version, to)) {
    io.stderr(`the web UI in ${uiStack} has Kibana ${version}: nothing is left to do\n`);
    return true;
  }
  const { cluster, service } = await serviceOf(cloudformation, uiStack);
  io.stderr(
    `the web UI in ${uiStack} has Kibana ${version} and is upgraded last, never beside its old version:\n` +
      `  1. aws ecs update-service --cluster ${cluster} --service ${service} --desired-count 0\n` +
      `  2. aws ecs wait services-stable --cluster ${cluster} --services ${service}\n` +
      `  3. deploy ${uiStack} with elasticsearch_version ${to}, which starts the tasks again\n`,
  );
  return false;
}

/** The names in the ARN of the stack's ECS service: `arn:aws:ecs:REGION:ACCOUNT:service/CLUSTER/SERVICE`. */
async function serviceOf(client: CloudFormationClient, stack: string) {
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName: stack })) {
    const found = StackResourceSummaries.find(({ ResourceType }) => ResourceType === 'AWS::ECS::Service');
    const [, cluster, service] = found?.PhysicalResourceId?.split('/') ?? [];
    if (cluster !== undefined && service !== undefined) return { cluster, service };
  }
  return { cluster: 'CLUSTER', service: 'SERVICE' };
}

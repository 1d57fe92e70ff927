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
  const version = (await readOutputs((await io.aws()).cloudformation, uiStack)).get('kibana_version');
  if (version === undefined) {
    io.stderr(`the web UI comes last: --ui-stack STACK looks at it; ${uiStack} has none\n`);
    return uiStack === stack;
  }
  if (!isOlder(version, to)) {
    io.stderr(`the web UI in ${uiStack} has Kibana ${version}: nothing is left to do\n`);
    return true;
  }
  io.stderr(
    `the web UI in ${uiStack} has Kibana ${version} and is upgraded last, never beside its old version:\n` +
      '  1. aws ecs update-service --cluster CLUSTER --service SERVICE --desired-count 0\n' +
      '  2. aws ecs wait services-stable --cluster CLUSTER --services SERVICE\n' +
      `  3. deploy ${uiStack} with elasticsearch_version ${to}, which starts the tasks again\n`,
  );
  return false;
}

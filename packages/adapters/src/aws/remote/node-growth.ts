import { dataLabel } from '@drover/core/names/search-cluster';
import type { NodeGrowth } from '@drover/search-cluster';
import { commandState, runningCommand, sendScript } from './node-scripts.ts';
import { type OperatorSsm, remoteAgents } from './remote-agents.ts';

/** Needs none of our programs, so nodes of every release have it; on a file system that fills its disk it changes nothing. */
const script = `resize2fs /dev/disk/by-label/${dataLabel}`;
const comment = 'drover cluster grow';

/** Has the file system of single nodes fill its disk, by Systems Manager. */
export const nodeGrowth = (ssm: OperatorSsm): NodeGrowth => ({
  agents: (instanceIds) => remoteAgents(ssm, instanceIds),
  send: async (instanceId) =>
    (await runningCommand(ssm, instanceId, comment)) ?? (await sendScript(ssm, instanceId, script, comment)),
  state: (instanceId, commandId) => commandState(ssm, instanceId, commandId),
});

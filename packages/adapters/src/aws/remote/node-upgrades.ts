import { versionVariable } from '@drover/core/names/search-cluster';
import type { NodeUpgrades } from '@drover/search-cluster';
import { commandState, runningCommand, sendScript } from './node-scripts.ts';
import { type OperatorSsm, remoteAgents } from './remote-agents.ts';

/** The folder that each run of the configuration locks, too. */
const programs = '/opt/drover/bin';

/**
 * The script that runs on a node: the same commands that an operator would type there. It goes on when its sender dies,
 * and it may be sent again: a node that is stopped, new or back already makes each of them a short one. The version is
 * passed for the one configuration run: when that fails, later runs find the node as it is. (`node prepare` gets it
 * too: before the variable existed, that was the only way.) The half-hourly run, which would start what was stopped,
 * has to wait; the lock is gone with the script.
 */
const script = (to: string, checksFirst: boolean) =>
  [
    ...(checksFirst ? [`${programs}/cluster-cli node pre-flight --elasticsearch-version ${to}`] : []),
    `flock ${programs} sh -c '${lockedScript(to)}'`,
  ].join(' && ');

const lockedScript = (to: string) =>
  [
    `${programs}/cluster-cli cluster prepare-restart --reason upgrade-${to} --allow-missing-replicas`,
    `${programs}/cluster-cli node prepare --elasticsearch-version ${to}`,
    `${versionVariable}=${to} ${programs}/configure`,
    `${programs}/cluster-cli cluster finish-restart --allow-missing-replicas`,
  ].join(' && ');

/** Starts the installed version without a long wait for the other nodes: the driver reads the cluster itself. */
const startScript =
  '/opt/drover/bin/cluster-cli cluster finish-restart --allow-missing-replicas --wait-until-complete 600';

const commentOf = (to: string) => `drover cluster upgrade --to ${to}`;

/** Upgrades of single nodes by Systems Manager. */
export const nodeUpgrades = (ssm: OperatorSsm): NodeUpgrades => ({
  agents: (instanceIds) => remoteAgents(ssm, instanceIds),
  send: async (instanceId, to, checksFirst) => {
    const running = await runningCommand(ssm, instanceId, commentOf(to));
    return running ?? (await sendScript(ssm, instanceId, script(to, checksFirst), commentOf(to)));
  },
  start: (instanceId) => sendScript(ssm, instanceId, startScript, 'drover cluster upgrade: start'),
  state: (instanceId, commandId) => commandState(ssm, instanceId, commandId),
});

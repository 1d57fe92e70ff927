import { Secret, TransientError } from '@drover/core';
import type { FleetMemory, RegistrationTokens, RunnerDirectory, ScaleSetRunners } from '@drover/runner-fleet';
import { type ActionsService, isRefusal, isRefusedWith } from './actions-service.ts';
import { findScaleSet, type ScaleSetOptions, scaleSets } from './demand-service.ts';
import { agents, jitConfiguration, nothing } from './shapes.ts';

const agentsPath = '_apis/distributedtask/pools/0/agents';

/** The runners of a scale set, one by one. */
export function scaleSetRunners(service: ActionsService): ScaleSetRunners {
  async function named(name: string) {
    const { value } = await service.call('GET', agentsPath, agents, { query: { agentName: name } });
    return value.find((agent) => agent.name === name);
  }
  return {
    find: async (name) => (await named(name))?.id,
    async serves(name, scaleSetId) {
      const agent = await named(name);
      return agent !== undefined && (agent.runnerScaleSetId ?? scaleSetId) === scaleSetId;
    },
    async remove(runnerId) {
      try {
        await service.call('DELETE', `${agentsPath}/${runnerId}`, nothing);
      } catch (error) {
        if (isRefusal(error, 'JobStillRunning')) return 'busy';
        if (!isRefusal(error, 'AgentNotFound')) throw error;
      }
      return 'removed';
    },
  };
}

/**
 * The same runners for drains. The service does not show which runner is busy, but it refuses to remove a runner with a
 * job. Labels are the scale set's and cannot be taken from one runner.
 */
export const scaleSetDirectory = (runners: ScaleSetRunners): Omit<RunnerDirectory, 'list'> => ({
  async findByName(name) {
    const id = await runners.find(name);
    return id === undefined ? undefined : { id, name, status: 'online', busy: false, labels: [], customLabels: [] };
  },
  async keepLabels() {},
  remove: (runnerId) => runners.remove(runnerId),
});

/** Just-in-time configurations: each makes the runner of one instance, whose name it is. */
export function jitConfigurations(
  service: ActionsService,
  memory: FleetMemory,
  options: Pick<ScaleSetOptions, 'name' | 'runnerGroup'>,
): RegistrationTokens {
  const runners = scaleSetRunners(service);

  async function generate(scaleSetId: number, name: string): Promise<Secret> {
    service.about(scaleSetId);
    const body = { name, workFolder: '_work' };
    const path = `${scaleSets}/${scaleSetId}/generatejitconfig`;
    return new Secret((await service.call('POST', path, jitConfiguration, { body })).encodedJITConfig);
  }

  /** Replaces a runner that was made before and that no instance has: its configuration was lost. */
  async function replace(scaleSetId: number, name: string): Promise<Secret> {
    const known = await runners.find(name);
    if (known !== undefined && (await runners.remove(known)) === 'busy')
      throw new TransientError(`the runner ${name} exists and has a job`);
    return await generate(scaleSetId, name);
  }

  async function current(unknown?: number): Promise<number> {
    const held = (await memory.read()).jobs?.scaleSet?.id;
    if (held !== undefined && held !== unknown) return held;
    const found = await findScaleSet(service, options);
    if (found !== undefined) return found.id;
    throw new TransientError(`there is no scale set ${options.name} (yet): the next window of the demand makes it`);
  }

  return {
    async mint(instanceId) {
      const scaleSetId = await current();
      try {
        return await generate(scaleSetId, instanceId);
      } catch (error) {
        if (isRefusal(error, 'AgentExists')) return await replace(scaleSetId, instanceId);
        if (!isRefusedWith(404)(error)) throw error;
        return await generate(await current(scaleSetId), instanceId);
      }
    },
  };
}

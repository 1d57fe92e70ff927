import { TerminalError } from '@drover/core';
import type { FleetMemory } from '@drover/runner-fleet';
import type { PlatformClient } from './client.ts';
import { list, number, object, text } from './reading.ts';

const groupsShape = object({ total_count: number, runner_groups: list(object({ id: number, name: text })) });

const pageSize = 100;
/** An organisation with more groups than this has something else to solve first. */
const mostPages = 50;

/** Which number the platform gave to the runner group of this name. */
export interface RunnerGroupNumber {
  id(): Promise<number>;
  /** The number is not valid (any more); returns whether another one was found. */
  renew(refused: number): Promise<boolean>;
}

/** Asks once for a group's number and keeps it in the fleet memory, so that a new invocation need not ask. */
export function runnerGroupNumber(client: PlatformClient, memory: FleetMemory, name: string): RunnerGroupNumber {
  let known: number | undefined;

  async function remembered(): Promise<number | undefined> {
    const held = (await memory.read()).runnerGroup;
    return held?.name === name ? held.id : undefined;
  }

  async function ask(): Promise<number> {
    const id = await findGroup(client, name);
    await memory.update((state) => ({ ...state, runnerGroup: { name, id } }));
    return id;
  }

  return {
    async id() {
      known ??= (await remembered()) ?? (await ask());
      return known;
    },
    async renew(refused) {
      known = await ask();
      return known !== refused;
    },
  };
}

async function findGroup(client: PlatformClient, name: string): Promise<number> {
  const names: string[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const { data } = await client.call('GET /{level}/actions/runner-groups', groupsShape, {
      parameters: { per_page: pageSize, page },
    });
    const found = data.runner_groups.find((group) => group.name === name);
    if (found !== undefined) return found.id;
    names.push(...data.runner_groups.map((group) => group.name));
    if (page * pageSize >= data.total_count || data.runner_groups.length === 0) break;
  }
  throw new TerminalError(
    `${client.level.name} has no runner group ${JSON.stringify(name)}; it has ${names.join(', ')}`,
    {
      remedy: 'create the group in the settings of the organisation or enterprise, or set runner_group to one of those',
    },
  );
}

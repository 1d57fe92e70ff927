import type { DroverIo } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import { instanceOf, readMembers } from './members.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet runners`: every runner with its instance, and every instance without a runner. */
export async function fleetRunners(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const members = await readMembers(await openFleet(io, options));
  const rows = members.map(({ instance, runner }) => ({
    id: runner?.id ?? null,
    name: runner?.name ?? null,
    status: runner?.status ?? null,
    busy: runner?.busy ?? null,
    instance: instance?.id ?? (runner === undefined ? null : (instanceOf(runner) ?? null)),
    lifecycleState: instance?.lifecycleState ?? null,
  }));
  if (options.format === 'json') io.stdout(json(rows));
  else io.stdout(table([['id', 'name', 'status', 'busy', 'instance', 'lifecycle state'], ...rows.map(cells)]));
  return 0;
}

const cells = (row: Readonly<Record<string, unknown>>) => Object.values(row).map((value) => String(value ?? '-'));

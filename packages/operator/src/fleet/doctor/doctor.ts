import { report } from '../../doctor/findings.ts';
import { type DroverIo, serviceNow } from '../../io.ts';
import type { Format } from '../../render/table.ts';
import { openFleet } from '../open-fleet.ts';
import { survivalOf } from '../survives.ts';
import { findingsOfTypes } from './checks.ts';
import { gatherFacts } from './facts.ts';

/** `drover fleet doctor`: exit code 1 if it finds a problem, 3 if it finds none but could not make every check. */
export async function fleetDoctor(
  io: DroverIo,
  options: { stack: string; type?: string; format: Format },
): Promise<number> {
  const fleet = await openFleet(io, options);
  const facts = await gatherFacts(fleet, serviceNow(io));
  const types = await Promise.all(
    (options.type === undefined ? fleet.types : []).map(async (type) => ({
      type: type.type,
      facts: await gatherFacts(type, serviceNow(io)),
    })),
  );
  const survives = survivalOf(fleet, facts.group.zones.length).line;
  const diagnosis = { findings: findingsOfTypes(facts, types), survives };
  return report(io, options.format, { group: fleet.groupName }, fleet.outputs, diagnosis);
}

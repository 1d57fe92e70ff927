import { diagnose, report } from '../../doctor/findings.ts';
import { type DroverIo, serviceNow } from '../../io.ts';
import type { Format } from '../../render/table.ts';
import { openFleet } from '../open-fleet.ts';
import { checks } from './checks.ts';
import { gatherFacts } from './facts.ts';
import { jobsChecks } from './jobs-checks.ts';

/** `drover fleet doctor`: exit code 1 if it finds a problem. */
export async function fleetDoctor(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const fleet = await openFleet(io, options);
  const all = fleet.ports.jobsMode ? [...checks, ...jobsChecks] : checks;
  const findings = diagnose(all, await gatherFacts(fleet, serviceNow(io)));
  return report(io, options.format, { group: fleet.groupName }, fleet.outputs, findings);
}

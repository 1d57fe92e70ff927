import { type DroverIo, serviceNow } from '../../io.ts';
import { findingText } from '../../render/findings.ts';
import { type Format, json } from '../../render/table.ts';
import { openFleet } from '../open-fleet.ts';
import { diagnose } from './checks.ts';
import { gatherFacts } from './facts.ts';

/** `drover fleet doctor`: exit code 0 when nothing is wrong, 1 when something is. */
export async function fleetDoctor(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const fleet = await openFleet(io, options);
  const findings = diagnose(await gatherFacts(fleet, serviceNow(io)));
  const version = fleet.outputs.get('module_version') ?? 'unknown';
  if (options.format === 'json') io.stdout(json({ group: fleet.groupName, moduleVersion: version, findings }));
  else io.stdout(`${fleet.groupName}, module version ${version}\n${findings.map(findingText).join('')}`);
  return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
}

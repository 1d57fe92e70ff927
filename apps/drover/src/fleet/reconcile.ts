import { type Finding, reconcile } from '@drover/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { duration, type Format, json } from '../render/table.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet reconcile`: the sweep, now. What was seen only once waits for a second reading, also here. */
export async function fleetReconcile(
  io: DroverIo,
  options: { stack: string; dryRun: boolean; format: Format },
): Promise<number> {
  const { ports } = await openFleet(io, options);
  const findings = await reconcile(ports, { dryRun: options.dryRun });
  if (options.format === 'json') io.stdout(json(findings));
  else if (findings.length === 0) io.stdout('nothing to do\n');
  else for (const finding of findings) io.stdout(`${sentence(finding, options.dryRun, serviceNow(io))}\n`);
  return 0;
}

const sentence = ({ action, because, firstSeenAt }: Finding, dryRun: boolean, now: number) => {
  const { kind, ...what } = action;
  const target = Object.values(what).join(' ');
  return `${dryRun ? 'would ' : ''}${kind} ${target}: ${because} (first seen ${duration(now - firstSeenAt)} ago)`;
};

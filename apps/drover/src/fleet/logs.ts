import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { TerminalError } from '@drover/core';
import { type FunctionSuffix, functionSuffixes } from '@drover/core/names/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { outputNamed } from '../output/read-outputs.ts';
import { openFleet } from './open-fleet.ts';

const mostPages = 50;

/** `drover fleet logs FUNCTION`: what a function logged in the last minutes, oldest first. */
export async function fleetLogs(
  io: DroverIo,
  name: string,
  options: { stack: string; minutes: number; grep?: string },
): Promise<number> {
  const suffix = suffixOf(name);
  const { aws, outputs, stack } = await openFleet(io, options);
  const logGroupName = outputNamed(outputs, stack, `${suffix}_log_group`);
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await aws.logs.send(
      new FilterLogEventsCommand({
        logGroupName,
        startTime: serviceNow(io) - options.minutes * 60_000,
        ...(options.grep === undefined ? {} : { filterPattern: JSON.stringify(options.grep) }),
        ...(nextToken === undefined ? {} : { nextToken }),
      }),
    );
    for (const { timestamp, message } of answer.events ?? [])
      io.stdout(`${new Date(timestamp ?? 0).toISOString()} ${(message ?? '').trimEnd()}\n`);
    nextToken = answer.nextToken;
    if (nextToken === undefined) break;
  }
  return 0;
}

/** By its suffix or its whole name; `x_deregistration` ends with `registration` too, so the longest counts. */
function suffixOf(name: string): FunctionSuffix {
  const [longest] = functionSuffixes
    .filter((suffix) => name === suffix || name.endsWith(`_${suffix}`))
    .sort((a, b) => b.length - a.length);
  if (longest !== undefined) return longest;
  throw new TerminalError(`there is no function ${name}`, { remedy: `allowed are ${functionSuffixes.join(', ')}` });
}

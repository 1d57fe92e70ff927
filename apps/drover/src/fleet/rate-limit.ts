import { type LimitStatus, rateLimit } from '@drover/adapters/github';
import { type DroverIo, serviceNow } from '../io.ts';
import { duration, type Format, json, table } from '../render/table.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet rate-limit`: what is left of each of the platform's limits. Asking is free. */
export async function fleetRateLimit(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const { platform } = await openFleet(io, options);
  const status = await rateLimit(platform);
  if (options.format === 'json') io.stdout(json(status ?? null));
  else if (status === undefined) io.stdout('the platform has no rate limit turned on\n');
  else {
    const row = (name: string, { limit, used, remaining, resetAt }: LimitStatus) => [
      name,
      String(limit),
      String(used),
      String(remaining),
      `in ${duration(Math.max(0, resetAt - serviceNow(io)))}`,
    ];
    const { core, runnerRegistration } = status;
    const more = runnerRegistration === undefined ? [] : [row('runner registration', runnerRegistration)];
    io.stdout(table([['budget', 'limit', 'used', 'remaining', 'reset'], row('requests', core), ...more]));
  }
  return 0;
}

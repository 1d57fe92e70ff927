import { readSecret } from '@drover/adapters/aws';
import { appJwt, installations, type LimitStatus, rateLimit } from '@drover/adapters/github';
import { type DroverIo, serviceNow } from '../io.ts';
import { duration, type Format, json, recordTable, table } from '../render/table.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet installations`: the apps on the organisation; with app authentication, the fleet's own. */
export async function fleetInstallations(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const { platform, config, calls } = await openFleet(io, options);
  const { authentication } = config;
  const asApp =
    authentication.kind === 'token'
      ? undefined
      : async () => {
          const key = await readSecret(calls, authentication.pemSecretArn);
          return `Bearer ${appJwt(authentication.appId, key, io.clock, io.random)}`;
        };
  const rows = (await installations(platform, asApp)).map(({ app_id, app_slug, id, account, suspended_at = null }) => ({
    app_id,
    app_slug,
    installation_id: id,
    account: account.login,
    suspended_at,
  }));
  if (options.format !== 'json' && rows.length === 0) {
    io.stdout(`no app is installed on ${config.level.name}\n`);
    return 0;
  }
  io.stdout(
    options.format === 'json'
      ? json(rows)
      : recordTable(rows, 'app_id', 'app_slug', 'installation_id', 'account', 'suspended_at'),
  );
  return 0;
}

/** `drover fleet rate-limit`: the remaining requests of each rate limit. The request itself is free. */
export async function fleetRateLimit(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const { platform } = await openFleet(io, options);
  const status = await rateLimit(platform);
  if (options.format === 'json') io.stdout(json(status ?? null));
  else if (status === undefined) io.stdout('the platform has no rate limit enabled\n');
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

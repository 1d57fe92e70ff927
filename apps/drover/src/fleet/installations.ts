import { readSecret } from '@drover/adapters/aws';
import { appJwt, installations } from '@drover/adapters/github';
import type { DroverIo } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
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
  const rows = (await installations(platform, asApp)).map((one) => ({
    app_id: one.appId,
    app_slug: one.appSlug,
    installation_id: one.id,
    account: one.account,
    suspended_at: one.suspendedAt ?? null,
  }));
  if (options.format === 'json') io.stdout(json(rows));
  else
    io.stdout(
      table([
        ['app_id', 'app_slug', 'installation_id', 'account', 'suspended_at'],
        ...rows.map((row) => Object.values(row).map((value) => String(value ?? '-'))),
      ]),
    );
  return 0;
}

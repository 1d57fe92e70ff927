import { TerminalError } from '@drover/core';
import { levelNames } from '@drover/core/names/platform-level';
import type { PlatformClient } from './client.ts';
import { list, number, object, optional, type Read, text } from './reading.ts';

/** An app that is installed on the organisation, or on the owner of the repository. */
export type PlatformInstallation = ReturnType<typeof record>;

const record = object({
  id: number,
  app_id: number,
  app_slug: text,
  suspended_at: optional(text),
  account: object({ login: text }),
});
const organisationShape = object({ total_count: number, installations: list(record) });

const pageSize = 100;
const mostPages = 20;

/**
 * The apps on the organisation. A token sees all of them, but only of an organisation; an app sees its own: the list of the organisation would need
 * one more permission, so it is asked as the app itself.
 */
export async function installations(
  client: PlatformClient,
  appAuthorization?: () => Promise<string>,
): Promise<readonly PlatformInstallation[]> {
  if (appAuthorization === undefined) return await ofOrganisation(client);
  const own = await walk(client, 'GET /app/installations', list(record), appAuthorization);
  const owner = client.level.name.split('/')[0]!.toLowerCase();
  return own.filter(({ account }) => account.login.toLowerCase() === owner);
}

async function ofOrganisation(client: PlatformClient): Promise<readonly PlatformInstallation[]> {
  const { kind, name } = client.level;
  if (kind === 'org')
    return await walk(client, 'GET /{level}/installations', (data, at) => organisationShape(data, at).installations);
  throw new TerminalError(`GitHub lists the apps of an organisation, not those of ${levelNames[kind].input} ${name}`, {
    remedy: 'look at the settings page of the owner, or let the fleet authenticate as an app, which sees its own',
  });
}

async function walk(
  client: PlatformClient,
  route: string,
  read: Read<readonly PlatformInstallation[]>,
  authorize?: () => Promise<string>,
): Promise<readonly PlatformInstallation[]> {
  const found: PlatformInstallation[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const authorization = authorize === undefined ? {} : { authorization: await authorize() };
    const parameters = { per_page: pageSize, page };
    const { data } = await client.call(route, read, { parameters, ...authorization });
    found.push(...data);
    if (data.length < pageSize) return found;
  }
  return found;
}

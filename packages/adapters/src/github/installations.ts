import type { PlatformClient } from './client.ts';
import { list, number, object, optional, type Read, text } from './reading.ts';

/** An app that is installed on the organisation. */
export interface PlatformInstallation {
  readonly id: number;
  readonly appId: number;
  readonly appSlug: string;
  readonly account: string;
  readonly suspendedAt: string | undefined;
}

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
 * The apps on the organisation. A token sees all of them; an app sees its own: the list of the organisation would need
 * one more permission, so it is asked as the app itself.
 */
export async function installations(
  client: PlatformClient,
  appAuthorization?: () => Promise<string>,
): Promise<readonly PlatformInstallation[]> {
  if (appAuthorization === undefined)
    return await walk(client, 'GET /orgs/{org}/installations', (data, at) => organisationShape(data, at).installations);
  const own = await walk(client, 'GET /app/installations', list(record), appAuthorization);
  return own.filter(({ account }) => account.toLowerCase() === client.org.toLowerCase());
}

async function walk(
  client: PlatformClient,
  route: string,
  read: Read<readonly ReturnType<typeof record>[]>,
  authorize?: () => Promise<string>,
): Promise<readonly PlatformInstallation[]> {
  const found: PlatformInstallation[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const authorization = authorize === undefined ? {} : { authorization: await authorize() };
    const parameters = { per_page: pageSize, page };
    const { data } = await client.call(route, read, { parameters, ...authorization });
    found.push(...data.map(toInstallation));
    if (data.length < pageSize) return found;
  }
  return found;
}

const toInstallation = (one: ReturnType<typeof record>): PlatformInstallation => ({
  id: one.id,
  appId: one.app_id,
  appSlug: one.app_slug,
  account: one.account.login,
  suspendedAt: one.suspended_at,
});

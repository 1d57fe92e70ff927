import { downloadPath, runnerPlatforms, sha256 } from '../../releases/runner-releases.ts';
import type { ApiHost } from '../api-host.ts';
import { notFound } from '../responses.ts';
import { account } from './apps.ts';
import { atEveryLevel } from './levels.ts';
import { json, type Route, type RouteAnswer, type RouteCall, timestamp } from './route.ts';

/** The newest release of actions/runner, and until when a version gets jobs. */
export const releaseRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/releases/latest',
    docs: 'rest/releases/releases#get-the-latest-release',
    access: 'public',
    resource: 'core',
    answer: latestRelease,
  },
  ...atEveryLevel({
    method: 'GET',
    path: '/orgs/{org}/actions/runners/deprecations/{version}',
    docs: 'rest/actions/self-hosted-runners',
    access: 'runners',
    resource: 'core',
    answer: deprecation,
  }),
];

/**
 * GitHub knows the later releases only, leaves the end out while there is none, and has never shown the announced
 * `registration_deprecates_at`: the rule for registrations is a fixed lowest version (docs/ASSUMPTIONS.md).
 */
function deprecation({ host: { registry, enterprise }, params }: RouteCall): RouteAnswer {
  const { version = '' } = params;
  // The description of Enterprise Server 3.19 does not have it.
  if (enterprise || registry.releases.find(version) === undefined) throw notFound();
  const endsAt = registry.releases.retiresAt(version);
  return json(200, {
    runner_version: version,
    ...(endsAt === undefined ? {} : { runtime_deprecates_at: timestamp(endsAt) }),
  });
}

function latestRelease({ host, params, site }: RouteCall): RouteAnswer {
  if (params.owner !== 'actions' || params.repo !== 'runner') throw notFound();
  const { releases } = host.registry;
  const { version, publishedAt } = releases.latest;
  const archives = runnerPlatforms.map((platform) => ({ platform, ...releases.archive(version, platform) }));
  const url = `${host.apiUrl}/repos/actions/runner/releases/1`;
  const sums = archives.map(
    ({ name, platform, bytes }) =>
      `- ${name} <!-- BEGIN SHA ${platform} -->${sha256(bytes)}<!-- END SHA ${platform} -->`,
  );
  return json(200, {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    html_url: `${host.webUrl}/actions/runner/releases/tag/v${version}`,
    tarball_url: `${host.apiUrl}/repos/actions/runner/tarball/v${version}`,
    zipball_url: `${host.apiUrl}/repos/actions/runner/zipball/v${version}`,
    id: 1,
    node_id: 'RE_kwDOAAAAAQ',
    author: account(host, 'github-actions', 'User'),
    tag_name: `v${version}`,
    target_commitish: 'main',
    name: `v${version}`,
    draft: false,
    prerelease: false,
    created_at: timestamp(publishedAt),
    published_at: timestamp(publishedAt),
    body: `## SHA-256 Checksums\n\n${sums.join('\n')}`,
    assets: archives.map(({ name, bytes }, index) =>
      asset(host, index + 1, { site, version, publishedAt, name, bytes }),
    ),
  });
}

function asset(
  host: ApiHost,
  id: number,
  file: {
    readonly site: string;
    readonly version: string;
    readonly publishedAt: number;
    readonly name: string;
    readonly bytes: Uint8Array;
  },
) {
  return {
    url: `${host.apiUrl}/repos/actions/runner/releases/assets/${id}`,
    id,
    node_id: `RA_kwDOAAAAA${id}`,
    name: file.name,
    label: '',
    uploader: account(host, 'github-actions', 'User'),
    content_type: 'application/octet-stream',
    state: 'uploaded',
    size: file.bytes.length,
    digest: `sha256:${sha256(file.bytes)}`,
    download_count: 1,
    created_at: timestamp(file.publishedAt),
    updated_at: timestamp(file.publishedAt),
    browser_download_url: `${file.site}${downloadPath(file.version, file.name)}`,
  };
}

import { TerminalError } from '@drover/core';
import type { PublishedRelease, PublishedReleases } from '@drover/runner-fleet';
import { instead } from '../instead.ts';
import type { PlatformClient } from './client.ts';
import { hasStatus } from './failures.ts';
import { list, number, object, optional, text } from './reading.ts';

const releaseShape = object({
  tag_name: text,
  body: optional(text),
  assets: list(object({ name: text, size: number, digest: optional(text), browser_download_url: text })),
});
const deprecationShape = object({ runtime_deprecates_at: optional(text) });

export interface PublishedReleasesOptions {
  /** Of the organisation: it tells when a version comes to its end. */
  readonly client: PlatformClient;
  /** Asks for the release: with the fleet's credentials where it is at the platform, without any elsewhere. */
  readonly releases: PlatformClient;
  /** Address of the latest release. */
  readonly url: string;
  readonly architecture: 'x64' | 'arm64';
}

/** Releases of actions/runner. */
export const publishedReleases = (options: PublishedReleasesOptions): PublishedReleases => ({
  async latest() {
    const { data } = await options.releases.call(`GET ${options.url}`, releaseShape);
    return archiveOf(data, options);
  },
  async endOf(version) {
    const route = 'GET /{level}/actions/runners/deprecations/{version}';
    const asked = options.client.call(route, deprecationShape, { parameters: { version } });
    // 404: the platform does not know the version, or is a server that is too old for the question.
    const found = await asked.catch(instead(hasStatus(404), undefined));
    const at = Date.parse(found?.data.runtime_deprecates_at ?? '');
    return Number.isNaN(at) ? undefined : at;
  },
});

/** The checksum is the asset's digest; releases and mirrors without one have it in the notes. */
function archiveOf(
  release: ReturnType<typeof releaseShape>,
  { architecture, url }: PublishedReleasesOptions,
): PublishedRelease {
  const version = release.tag_name.replace(/^v/, '');
  const name = `actions-runner-linux-${architecture}-${version}.tar.gz`;
  const asset = release.assets.find((each) => each.name === name);
  const noted = new RegExp(`${name.replaceAll('.', '\\.')}\\s+(?:<!--[^>]*-->)?([0-9a-f]{64})`).exec(
    release.body ?? '',
  )?.[1];
  const checksum = /^sha256:([0-9a-f]{64})$/.exec(asset?.digest ?? '')?.[1] ?? noted;
  if (asset === undefined || checksum === undefined)
    throw new TerminalError(`the release ${release.tag_name} at ${url} has no ${name} with a SHA-256`, {
      remedy: 'wait for the release to be complete, or set runner_version and runner_checksum',
    });
  return { version, checksum, url: asset.browser_download_url, bytes: asset.size };
}

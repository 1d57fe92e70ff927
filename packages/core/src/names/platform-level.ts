/** Where the runners of a fleet belong: an organisation, a repository (`owner/name`) or an enterprise. */
export interface PlatformLevel {
  readonly kind: 'org' | 'repo' | 'enterprise';
  readonly name: string;
}

interface LevelNames {
  /** The input that names it. */
  readonly input: string;
  readonly pattern: RegExp;
  readonly expected: string;
  /** The permission that credentials need to manage its runners. */
  readonly right: string;
}

/** How each level is given. Owners may be users, whose names can have an underscore. */
export const levelNames: Readonly<Record<PlatformLevel['kind'], LevelNames>> = {
  org: {
    input: 'platform_org',
    pattern: /^[A-Za-z0-9-]+$/,
    expected: 'the name of an organisation',
    right:
      'a personal token needs the scope admin:org and an owner behind it; an app needs the organisation permission "Self-hosted runners: read and write"',
  },
  repo: {
    input: 'platform_repository',
    pattern: /^[A-Za-z0-9_-]+\/(?!\.{1,2}$)[\w.-]+$/,
    expected: 'a repository as OWNER/NAME',
    right:
      'a personal token needs the scope repo and an administrator of the repository behind it; an app needs the repository permission "Administration: read and write"',
  },
  enterprise: {
    input: 'platform_enterprise',
    pattern: /^[A-Za-z0-9-]+$/,
    expected: 'the short name (slug) of an enterprise',
    right:
      'it takes a classic personal token with the scope manage_runners:enterprise and an owner of the enterprise behind it; no app and no fine-grained token can do it',
  },
};

/** The prefix of its REST API's paths. */
export const restPrefix = ({ kind, name }: PlatformLevel): string => `${kind}s/${name}`;

/**
 * The page that runners register at, from the address of the API: `https://api.HOST` is that of github.com and *.ghe.com, `https://HOST/api/v3`
 * that of a GitHub Enterprise Server.
 */
export function runnerUrl(apiUrl: string, { kind, name }: PlatformLevel): string {
  const site = apiUrl
    .replace(/^https:\/\/api\.(github\.com|[\w-]+\.ghe\.com)$/, 'https://$1')
    .replace(/\/api\/v3$/, '');
  return kind === 'enterprise' ? `${site}/enterprises/${name}` : `${site}/${name}`;
}

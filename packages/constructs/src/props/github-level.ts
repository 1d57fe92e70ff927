import type { PlatformLevel } from '@drover/core/names/platform-level';

/**
 * The organisation, repository or enterprise that the runners of a fleet belong to.
 *
 * @example
 * ```ts
 * GitHubLevel.repository('example-org/app');
 * ```
 */
export class GitHubLevel {
  /** `org`, `repo` or `enterprise`. */
  readonly kind: PlatformLevel['kind'];
  /** Its name, as GitHub writes it. */
  readonly name: string;

  /**
   * Runners of an organisation.
   *
   * @param name - GitHub organisation that the runners belong to. Allowed: the name of an organisation
   */
  static organization(name: string): GitHubLevel {
    return new GitHubLevel('org', name);
  }

  /**
   * Runners of one repository. It has no runner groups.
   *
   * @param name - repository that the runners belong to. Allowed: a repository as OWNER/NAME
   */
  static repository(name: string): GitHubLevel {
    return new GitHubLevel('repo', name);
  }

  /**
   * Runners of an enterprise. GitHub lets no app manage them: they need a token.
   *
   * @param name - enterprise that the runners belong to. Allowed: the short name (slug) of an enterprise
   */
  static enterprise(name: string): GitHubLevel {
    return new GitHubLevel('enterprise', name);
  }

  private constructor(kind: PlatformLevel['kind'], name: string) {
    this.kind = kind;
    this.name = name;
  }
}

/** The inputs that a level stands for: exactly one of them. */
export interface LevelInputs {
  /** GitHub organisation that the runners belong to. */
  readonly platformOrg?: string | undefined;
  /** Repository that the runners belong to, instead of an organisation. */
  readonly platformRepository?: string | undefined;
  /** Enterprise that the runners belong to, instead of an organisation. */
  readonly platformEnterprise?: string | undefined;
}

/** Names of these inputs in messages about props. */
export const levelNames = {
  platform_org: 'GitHubLevel.organization',
  platform_repository: 'GitHubLevel.repository',
  platform_enterprise: 'GitHubLevel.enterprise',
} as const;

const inputOf = { org: 'platformOrg', repo: 'platformRepository', enterprise: 'platformEnterprise' } as const;

export const levelInputs = (level: GitHubLevel | undefined): LevelInputs =>
  level === undefined ? {} : { [inputOf[level.kind]]: level.name };

export function levelFrom({
  platformOrg,
  platformRepository,
  platformEnterprise,
}: LevelInputs): GitHubLevel | undefined {
  if (platformRepository !== undefined) return GitHubLevel.repository(platformRepository);
  if (platformEnterprise !== undefined) return GitHubLevel.enterprise(platformEnterprise);
  return platformOrg === undefined ? undefined : GitHubLevel.organization(platformOrg);
}

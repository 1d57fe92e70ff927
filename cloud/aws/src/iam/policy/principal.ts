import type { Principal } from '../../account/service.ts';

/** The caller: a principal of the account, or an AWS service on its own behalf. */
export type Asker = { readonly principal: Principal } | { readonly service: string };

/**
 * How a statement names the asker. `account`: only its account is named, which leaves the decision to the identity's own
 * policies ("AWS JSON policy elements: Principal", section AWS account principals). `role`: the role of a session is
 * named, not the session; boundaries and session policies still limit it ("Policy evaluation for requests within a
 * single account", section on IAM roles).
 */
export type PrincipalMatch = 'direct' | 'role' | 'account' | 'none';

const strength: Readonly<Record<PrincipalMatch, number>> = { none: 0, account: 1, role: 2, direct: 3 };

export const stronger = (one: PrincipalMatch, other: PrincipalMatch): PrincipalMatch =>
  strength[other] > strength[one] ? other : one;

export interface PrincipalTest {
  match(asker: Asker): PrincipalMatch;
  /** ARNs of users and roles that the policy names. */
  readonly arns: readonly string[];
  /** Services that the policy names. */
  readonly services: ReadonlySet<string>;
}

type Refuse = (why: string) => never;

const knownTypes = ['AWS', 'Service', 'Federated', 'CanonicalUser'];

/** Compiles a Principal element: `*`, or lists of accounts, ARNs and services. */
export function compilePrincipal(element: unknown, refuse: Refuse): PrincipalTest {
  if (element === '*') return { arns: [], services: new Set(), match: () => 'direct' };
  if (typeof element !== 'object' || element === null || Array.isArray(element))
    return refuse('Principal must be "*" or an object');
  for (const type of Object.keys(element))
    if (!knownTypes.includes(type)) refuse(`Principal type ${type} is not known`);
  const { AWS, Service } = element as Record<string, unknown>;
  const aws = names(AWS, refuse);
  const services = new Set(names(Service, refuse).map((name) => checkService(name, refuse)));
  for (const name of aws) checkAwsPrincipal(name, refuse);
  return {
    services,
    arns: aws.filter((name) => /^arn:aws:iam::\d{12}:(?:user|role)\//.test(name)),
    match: (asker) =>
      'service' in asker ? matchService(asker.service, services, aws) : matchAws(asker.principal, aws),
  };
}

function names(value: unknown, refuse: Refuse): string[] {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return list.map((item) => (typeof item === 'string' ? item : refuse('Principal must hold text')));
}

function checkService(name: string, refuse: Refuse): string {
  return /^[a-z0-9.-]+\.amazonaws\.com$/.test(name) ? name : refuse(`service principal ${name} is not known`);
}

function checkAwsPrincipal(name: string, refuse: Refuse): void {
  if (
    name !== '*' &&
    !/^\d{12}$/.test(name) &&
    !/^arn:aws:(?:iam|sts)::\d{12}:(?:root$|user\/|role\/|assumed-role\/)/.test(name)
  )
    refuse(`principal ${name} must be *, an account or the ARN of a user, role or role session`);
}

const matchService = (service: string, services: ReadonlySet<string>, aws: readonly string[]): PrincipalMatch =>
  services.has(service) || aws.includes('*') ? 'direct' : 'none';

function matchAws(principal: Principal, aws: readonly string[]): PrincipalMatch {
  if (aws.some((name) => name === '*' || name === principal.arn)) return 'direct';
  if (principal.roleArn !== undefined && aws.includes(principal.roleArn)) return 'role';
  const account = [principal.accountId, `arn:aws:iam::${principal.accountId}:root`];
  return aws.some((name) => account.includes(name)) ? 'account' : 'none';
}

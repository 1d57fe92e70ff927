import { supportedVersions } from '@drover/core/names/search-cluster';

/** The shapes of values that inputs of several modules take. Ids may be tokens of the CDK, and ARNs may hold some. */
export const secretArn = {
  pattern: /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+$|\$\{Token\[/,
  allowed: 'the ARN of a secret (arn:aws:secretsmanager:…:secret:…)',
};
export const topicArn = {
  pattern: /^arn:[\w-]+:sns:[\w-]+:\d{12}:\S+$|\$\{Token\[/,
  allowed: 'ARNs of topics (arn:aws:sns:…)',
};
export const policyArn = {
  pattern: /^arn:[\w-]+:iam::(\d{12}|aws):policy\/\S+$|\$\{Token\[/,
  allowed: 'ARNs of managed policies (arn:aws:iam::…:policy/…)',
};
export const keyArn = {
  pattern: /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/(mrk-[0-9a-f]{32}|[0-9a-f-]{36})$|\$\{Token\[/,
  allowed: 'the ARN of a key (arn:aws:kms:…:key/…)',
};
export const certificateArn = {
  pattern: /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$|\$\{Token\[/,
  allowed: 'the ARN of a certificate (arn:aws:acm:…:certificate/…)',
};
export const securityGroupId = { pattern: /^sg-\w+$|^\$\{Token/, allowed: 'ids of security groups (sg-…)' };
export const subnetId = { pattern: /^subnet-\w+$|^\$\{Token/, allowed: 'subnet ids (subnet-…)' };
export const routeTableId = { pattern: /^rtb-\w+$|^\$\{Token/, allowed: 'ids of route tables (rtb-…)' };
export const path = { pattern: /^\/\S*$/, allowed: 'an absolute path' };
export const instanceType = {
  pattern: /^[a-z0-9-]+\.[a-z0-9-]+$/,
  allowed: 'an instance type, e.g. m6i.large',
};
export const version = { pattern: /^\d+\.\d+\.\d+$/, allowed: 'x.y.z' };
/** A version of these modules, which may be one that is not released yet. */
export const ownVersion = { pattern: /^\d+\.\d+\.\d+(-[a-z]+)?$/, allowed: 'x.y.z' };
/** A version of Elasticsearch that the modules are made for. */
export const searchVersion = {
  ...version,
  accepts: (value: string) => !isOlder(value, supportedVersions.from) && isOlder(value, supportedVersions.before),
  allowed: `x.y.z, from ${supportedVersions.from} on and before ${supportedVersions.before}`,
};

/** The numbers of a version; `-dev` and the like have those of the version to come. */
export const numbersOf = (version: string) => version.replace(/-.*/, '').split('.').map(Number);

/** Whether the first version is older than the second. */
export function isOlder(first: string, second: string): boolean {
  const [a, b] = [numbersOf(first), numbersOf(second)];
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing !== -1 && a[differing]! < b[differing]!;
}

const cidr = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** An IPv4 range in which the bits after the prefix are zero, as AWS asks it of a rule. */
function isCidr(value: string): boolean {
  const [, ...parts] = cidr.exec(value) ?? [];
  const [a, b, c, d, bits] = parts.map(Number);
  if (bits === undefined || bits > 32 || [a, b, c, d].some((part) => part! > 255)) return false;
  const address = a! * 2 ** 24 + b! * 2 ** 16 + c! * 2 ** 8 + d!;
  return address % 2 ** (32 - bits) === 0;
}

const isCidrOrToken = (value: string) => value.startsWith('${Token') || isCidr(value);
export const addressRange = { accepts: isCidrOrToken, allowed: 'an address range, e.g. 10.0.0.0/16' };
export const addressRanges = { accepts: isCidrOrToken, allowed: 'address ranges, e.g. 10.0.0.0/16' };

const zone = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
/** Without the dot at the end that Route 53 shows. */
export const zoneName = {
  accepts: (value: string) => value.startsWith('${Token') || zone.test(value),
  allowed: 'a domain in lower case without a dot at its end, e.g. search.example.com',
};
export const zoneId = { pattern: /^Z[A-Z0-9]+$|^\$\{Token/, allowed: 'the id of a hosted zone (Z…)' };

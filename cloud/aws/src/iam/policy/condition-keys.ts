/**
 * Global condition keys that the embedded cloud evaluates, or for which "not in the request" is the truth here (no
 * organization, no VPC endpoint, no MFA, no federation). See "AWS global condition context keys", IAM user guide.
 */
const globalKeys: ReadonlySet<string> = new Set(
  [
    'aws:CalledVia',
    'aws:CurrentTime',
    'aws:EpochTime',
    'aws:MultiFactorAuthAge',
    'aws:MultiFactorAuthPresent',
    'aws:PrincipalAccount',
    'aws:PrincipalArn',
    'aws:PrincipalIsAWSService',
    'aws:PrincipalOrgID',
    'aws:PrincipalServiceName',
    'aws:PrincipalType',
    'aws:RequestedRegion',
    'aws:ResourceAccount',
    'aws:ResourceOrgID',
    'aws:SecureTransport',
    'aws:SourceAccount',
    'aws:SourceArn',
    'aws:SourceIp',
    'aws:SourceOrgID',
    'aws:SourceOwner',
    'aws:SourceVpc',
    'aws:SourceVpce',
    'aws:TagKeys',
    'aws:ViaAWSService',
    'aws:userid',
    'aws:username',
  ].map((key) => key.toLowerCase()),
);

const taggedGlobalKey = /^aws:(?:PrincipalTag|RequestTag|ResourceTag)\/.+$/i;
/** With a part after a slash (`ec2:ResourceTag/x`) or a colon (`kms:EncryptionContext:aws:logs:arn`). */
const serviceKey = /^[a-z0-9-]+:[A-Za-z0-9._-]+(?:[/:].+)?$/i;

/** Why a condition key cannot be used, or undefined. A key that would silently never match hides a fault in a template. */
export function refuseConditionKey(key: string): string | undefined {
  const lower = key.toLowerCase();
  if (lower.startsWith('aws:'))
    return globalKeys.has(lower) || taggedGlobalKey.test(key)
      ? undefined
      : `condition key ${key} is not modelled by the embedded cloud`;
  return serviceKey.test(key) ? undefined : `condition key ${key} must have the form service:Name or service:Name/part`;
}

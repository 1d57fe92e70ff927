import keys from './global-keys.json' with { type: 'json' };

/**
 * Global condition keys that the embedded cloud evaluates, or for which "not in the request" is the truth here (no
 * organization, no VPC endpoint, no MFA, no federation). See "AWS global condition context keys", IAM user guide.
 */
const globalKeys: ReadonlySet<string> = new Set(keys.map((key) => key.toLowerCase()));

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

import { CfnCertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';

/** A certificate of Amazon's public authority for the names, validated by records that CloudFormation puts into the zone. */
export function publicCertificate(
  scope: Construct,
  id: string,
  [domainName, ...others]: readonly [string, ...string[]],
  hostedZoneId: string,
): CfnCertificate {
  return new CfnCertificate(scope, id, {
    domainName,
    subjectAlternativeNames: others,
    validationMethod: 'DNS',
    domainValidationOptions: [domainName, ...others].map((name) => ({ domainName: name, hostedZoneId })),
  });
}

import { CfnCertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import type { AddressInputs } from '../inputs/shared-props.ts';

/** The given certificate, or one of Amazon's public authority for the names, validated by records that CloudFormation puts into the zone. */
export function addressCertificate(
  scope: Construct,
  id: string,
  [domainName, ...others]: readonly [string, ...string[]],
  { zoneId: hostedZoneId, certificateArn }: Pick<AddressInputs, 'zoneId' | 'certificateArn'>,
): string {
  if (certificateArn !== undefined) return certificateArn;
  return new CfnCertificate(scope, id, {
    domainName,
    subjectAlternativeNames: others,
    validationMethod: 'DNS',
    domainValidationOptions: [domainName, ...others].map((name) => ({ domainName: name, hostedZoneId })),
  }).ref;
}

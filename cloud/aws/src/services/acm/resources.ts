import { arn } from '../../account/arn.ts';
import { ResourceFailure } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { Certificate } from './model.ts';

/** How long validation takes when its record is there: "may take several minutes". */
const validationMs = 60_000;

/** A certificate is there when its domain is validated; until then the stack waits. */
export const acmResources = (aws: AwsNeighbours, certificates: Map<string, Certificate>): ResourceProviders => {
  const random = aws.engine.random.fork('acm');
  return {
    'AWS::CertificateManager::Certificate': {
      create: async ({ properties }) => {
        const certificate: Certificate = {
          arn: arn(aws, 'acm', `certificate/${random.uuid()}`),
          domainName: properties.DomainName,
          alternativeNames: properties.SubjectAlternativeNames ?? [],
          createdAt: aws.engine.clock.now(),
          issuedAt: undefined,
          tags: {},
        };
        certificates.set(certificate.arn, certificate);
        for (const name of [certificate.domainName, ...certificate.alternativeNames])
          requireZone(aws, name, properties, certificate.arn);
        await aws.engine.clock.sleep(validationMs);
        certificate.issuedAt = aws.engine.clock.now();
        return { physicalId: certificate.arn, attributes: { Id: certificate.arn } };
      },
      update: ({ physicalId }) => ({ physicalId, attributes: { Id: physicalId } }),
      delete: ({ physicalId }) => void certificates.delete(physicalId),
    },
  };
};

/** CloudFormation writes the validation record where a zone of the account is named for the domain. (Template Reference, DomainValidationOption.) */
function requireZone(aws: AwsNeighbours, domain: string, properties: ResourceProperties, physicalId: string): void {
  const options = (properties.DomainValidationOptions ?? []) as { DomainName: string; HostedZoneId?: string }[];
  const zoneId = options.find(({ DomainName }) => DomainName === domain)?.HostedZoneId;
  if (zoneId === undefined)
    throw new ResourceFailure(
      `${domain} names no hosted zone for its validation, and the embedded cloud has no other way to validate it`,
      physicalId,
    );
  const zone = aws.route53.zoneName(zoneId);
  const inZone = `${domain.toLowerCase().replace(/^\*\./, '')}.`;
  if (inZone !== zone && !inZone.endsWith(`.${zone}`))
    throw new ResourceFailure(`${domain} is not in the hosted zone ${zone}`, physicalId);
}

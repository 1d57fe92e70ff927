import type { DescribeCertificateCommandInput } from '@aws-sdk/client-acm';
import type { AcmNeighbour, AwsNeighbours } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { type Certificate, noCertificate } from './model.ts';
import { acmResources } from './resources.ts';

/** 13 months. (User Guide, "ACM certificate characteristics": validity period.) */
const validityMs = 395 * 86_400_000;

/** AWS Certificate Manager: public certificates, validated by DNS in a zone of the account. */
export class Acm implements AwsService, AcmNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #certificates = new Map<string, Certificate>();

  constructor(aws: AwsNeighbours) {
    this.resources = acmResources(aws, this.#certificates);
    this.operations = {
      DescribeCertificate: {
        permissions: (input: DescribeCertificateCommandInput) => [
          { action: 'acm:DescribeCertificate', resource: input.CertificateArn ?? '*' },
        ],
        run: (input: DescribeCertificateCommandInput) => ({ Certificate: detail(this.#get(input.CertificateArn)) }),
      },
      ListCertificates: {
        permissions: () => [{ action: 'acm:ListCertificates', resource: '*' }],
        run: () => ({
          CertificateSummaryList: [...this.#certificates.values()].map((certificate) => ({
            CertificateArn: certificate.arn,
            DomainName: certificate.domainName,
            Status: statusOf(certificate),
            Type: 'AMAZON_ISSUED',
          })),
        }),
      },
    };
  }

  isIssued(arn: string): boolean {
    return this.#certificates.get(arn)?.issuedAt !== undefined;
  }

  #get(arn: string | undefined): Certificate {
    const certificate = this.#certificates.get(arn ?? '');
    if (certificate === undefined) throw noCertificate(arn ?? '');
    return certificate;
  }
}

const statusOf = ({ issuedAt }: Certificate) => (issuedAt === undefined ? 'PENDING_VALIDATION' : 'ISSUED');

const detail = (certificate: Certificate) => ({
  CertificateArn: certificate.arn,
  DomainName: certificate.domainName,
  SubjectAlternativeNames: [certificate.domainName, ...certificate.alternativeNames],
  Status: statusOf(certificate),
  Type: 'AMAZON_ISSUED',
  KeyAlgorithm: 'RSA-2048',
  CreatedAt: new Date(certificate.createdAt),
  ...(certificate.issuedAt === undefined
    ? {}
    : {
        IssuedAt: new Date(certificate.issuedAt),
        NotBefore: new Date(certificate.issuedAt),
        NotAfter: new Date(certificate.issuedAt + validityMs),
      }),
});

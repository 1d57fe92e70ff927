import { AwsError } from '../../account/errors.ts';

export interface Certificate {
  readonly arn: string;
  readonly domainName: string;
  readonly alternativeNames: readonly string[];
  readonly createdAt: number;
  issuedAt: number | undefined;
  tags: Record<string, string>;
}

export const noCertificate = (arn: string) =>
  new AwsError('ResourceNotFoundException', `Could not find certificate ${arn}.`);

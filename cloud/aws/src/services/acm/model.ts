export interface Certificate {
  readonly arn: string;
  readonly domainName: string;
  readonly alternativeNames: readonly string[];
  readonly createdAt: number;
  issuedAt: number | undefined;
  tags: Record<string, string>;
}

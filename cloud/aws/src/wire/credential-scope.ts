import type { HttpRequest } from '@drover/cloud-engine';

/** The signer of a request, and the service. The signature itself is not verified: there is no secret to protect. */
export interface CredentialScope {
  readonly accessKeyId: string;
  readonly sessionToken?: string;
  /** The signing name. */
  readonly service: string;
  /** Absent with Signature Version 4A. */
  readonly region?: string;
}

/** Reads the credential scope of Signature Version 4, from the Authorization header or a presigned query. */
export function credentialScope(request: HttpRequest, query: URLSearchParams): CredentialScope | undefined {
  const header = request.headers.authorization;
  const credential = header === undefined ? query.get('X-Amz-Credential') : /Credential=([^,\s]+)/.exec(header)?.[1];
  const parts = credential?.split('/');
  if (parts === undefined || parts.at(-1) !== 'aws4_request') return undefined;
  // Signature Version 4A has no region in its scope.
  const [accessKeyId, service] = [parts[0], parts.at(-2)];
  if (parts.length < 4 || !accessKeyId || !service) return undefined;
  const sessionToken = request.headers['x-amz-security-token'] ?? query.get('X-Amz-Security-Token') ?? undefined;
  const region = parts.length > 4 ? { region: parts.at(-3)! } : {};
  return { accessKeyId, service, ...region, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

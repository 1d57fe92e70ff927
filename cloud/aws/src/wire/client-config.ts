import type { Credentials } from '../account/service.ts';
import type { Logger, SdkHttpRequest } from './schema/sdk-schemas.ts';
import { type AwsOrWorld, awsOf, createRequestHandler, type InProcessOptions } from './wire.ts';

type StaticCredentials = Pick<Credentials, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>;

/**
 * Configuration for SDK v3 clients in this process. Everything that a client would otherwise look up in files is given,
 * so that not even its first call takes a turn of the event loop; bodies are not compressed, which is asynchronous.
 */
export function inProcessClientConfig(
  awsOrWorld: AwsOrWorld,
  credentials: StaticCredentials,
  options: InProcessOptions = {},
) {
  return {
    region: awsOf(awsOrWorld).region,
    credentials,
    requestHandler: createRequestHandler(awsOrWorld, options),
    ...nothingToLookUp,
  };
}

const nothingToLookUp = {
  authSchemePreference: [] as string[],
  defaultUserAgentProvider: async (): Promise<[string, string][]> => [['aws-sdk-js', '3']],
  defaultsMode: 'standard' as const,
  disableClockSkewCorrection: true,
  disableRequestCompression: true,
  disableS3ExpressSessionAuth: true,
  ignoreConfiguredEndpointUrls: true,
  maxAttempts: 3,
  requestChecksumCalculation: 'WHEN_SUPPORTED' as const,
  requestMinCompressionSizeBytes: 10240,
  responseChecksumValidation: 'WHEN_SUPPORTED' as const,
  retryMode: 'standard' as const,
  sigv4aSigningRegionSet: [] as string[],
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: '',
};

/**
 * Like `inProcessClientConfig`, for mass simulation: each command's middleware is assembled once, and requests name the
 * caller without a signature, which nothing here verifies.
 */
export function fastClientConfig(
  awsOrWorld: AwsOrWorld,
  credentials: StaticCredentials,
  options: InProcessOptions = {},
) {
  return {
    ...inProcessClientConfig(awsOrWorld, credentials, options),
    cacheMiddleware: true,
    logger: mute,
    signerConstructor: callerNamer(credentials),
  };
}

/** Without methods: a client then does not even prepare what it would log. */
const mute = {} as Logger;

/** A signer that names the caller in the header's usual form and signs nothing. */
function callerNamer({ accessKeyId, sessionToken }: StaticCredentials) {
  return class CallerNamer {
    readonly scope: string;

    constructor({ service, region }: { readonly service: string; readonly region: unknown }) {
      this.scope = `${accessKeyId}/20260101/${region}/${service}/aws4_request`;
    }

    async sign(request: SdkHttpRequest): Promise<SdkHttpRequest> {
      request.headers.authorization = `AWS4-HMAC-SHA256 Credential=${this.scope}, SignedHeaders=host, Signature=none`;
      if (sessionToken !== undefined) request.headers['x-amz-security-token'] = sessionToken;
      return request;
    }

    async presign(): Promise<never> {
      throw new Error('a fast client does not sign: use a default one to presign');
    }
  };
}

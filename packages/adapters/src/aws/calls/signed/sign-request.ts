import { createHash, createHmac } from 'node:crypto';

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A request with everything that a signature covers. */
export interface UnsignedRequest {
  readonly method: string;
  /** Encoded as it is sent; without a query. */
  readonly path: string;
  /** With `host`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The hash of bytes that are sent instead of the body. */
  readonly bytes?: { readonly sha256: string };
}

export interface SigningScope {
  readonly service: string;
  readonly region: string;
  readonly keys: SigningKeys;
  readonly now: number;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The request's headers with a signature (IAM User Guide, "Create a signed AWS API request"). */
export function signedHeaders(request: UnsignedRequest, scope: SigningScope): Record<string, string> {
  const { keys } = scope;
  const time = new Date(scope.now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const bodyHash = request.bytes?.sha256 ?? sha256(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': time,
    'x-amz-content-sha256': bodyHash,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    request.path,
    '',
    ...names.map((name) => `${name}:${headers[name]!.trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const place = [time.slice(0, 8), scope.region, scope.service, 'aws4_request'];
  const signature = hmac(derivedKey(keys, place), [algorithm, time, place.join('/'), sha256(canonical)].join('\n'));
  const authorization = [
    `${algorithm} Credential=${keys.accessKeyId}/${place.join('/')}`,
    `SignedHeaders=${names.join(';')}`,
    `Signature=${signature.toString('hex')}`,
  ].join(', ');
  return { ...headers, authorization };
}

/** A key holds for its day, region and service: derived once, not for every request. */
const derivedKeys = new Map<string, Buffer>();
const mostDerivedKeys = 200;

function derivedKey({ accessKeyId, secretAccessKey }: SigningKeys, place: readonly string[]): Buffer {
  const name = [accessKeyId, secretAccessKey, ...place].join('/');
  const known = derivedKeys.get(name);
  if (known !== undefined) return known;
  const key = place.reduce<Buffer>((base, part) => hmac(base, part), Buffer.from(`AWS4${secretAccessKey}`));
  if (derivedKeys.size >= mostDerivedKeys) derivedKeys.clear();
  derivedKeys.set(name, key);
  return key;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

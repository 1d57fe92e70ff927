import { TransientError } from '@drover/core';
import type { ObjectBytes } from '../calls.ts';
import { AwsCallError, noReason } from '../errors.ts';
import { readXml, type Shape } from './read-xml.ts';

export interface SignedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The facts about an operation that a protocol needs. */
export interface OperationSpec {
  /** The members to read from an XML response. @default nothing */
  readonly output?: Shape;
  /** Carries a token that makes a second attempt of the same request harmless. */
  readonly token?: boolean;
  /** Must not be sent a second time: the first attempt may have been carried out. */
  readonly once?: boolean;
}

interface UnsignedHttp {
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent instead of the body. */
  readonly bytes?: ObjectBytes;
}

/** How requests to a service are written and its responses read. */
export interface Protocol {
  request(operation: string, input: object, spec: OperationSpec): UnsignedHttp;
  /** The output of a successful call, as the SDK returns it. */
  output(operation: string, response: SignedResponse, spec: OperationSpec): unknown;
  failure(operation: string, response: SignedResponse): Error;
}

const form = (operation: string, version: string, parameters: Iterable<[string, string]>) => ({
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams([['Action', operation], ['Version', version], ...parameters]).toString(),
});

/** `awsQuery`: a form is sent, XML comes back (smithy.io, "AWS query protocol"). */
export const queryProtocol = (version: string): Protocol => ({
  request: (operation, input) =>
    form(
      operation,
      version,
      flatten('', input, (name) => `${name}.member`),
    ),
  output: (operation, { body }, { output }) => {
    wholeXml(operation, body);
    return output === undefined ? {} : (readXml(body, `${operation}Result`, output) ?? {});
  },
  failure: xmlFailure,
});

/** `ec2Query`: lists have no level of their own, and some have another name (smithy.io, "AWS EC2 query protocol"). */
export const ec2Protocol = (version: string, requestNames: Readonly<Record<string, string>>): Protocol => ({
  request: (operation, input) =>
    form(
      operation,
      version,
      flatten('', input, (name) => name, requestNames),
    ),
  output: (operation, { body }, { output }) => {
    wholeXml(operation, body);
    return output === undefined ? {} : readXml(body, `${operation}Response`, output);
  },
  failure: xmlFailure,
});

function* flatten(
  name: string,
  value: unknown,
  listName: (name: string) => string,
  names: Readonly<Record<string, string>> = {},
): Iterable<[string, string]> {
  if (value === undefined) return;
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield* flatten(`${listName(name)}.${index + 1}`, item, listName, names);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      yield* flatten(`${name === '' ? '' : `${name}.`}${names[key] ?? key}`, item, listName, names);
  else yield [name, String(value)];
}

/** `restXml` as far as S3's objects need it: the object is the body, everything else is in headers. */
export const objectProtocol: Protocol = {
  request(operation, input) {
    const { Body = '', ...named } = input as { readonly Body?: string | ObjectBytes };
    const { Bucket, Key, ...conditions } = named as Readonly<Record<string, string>>;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(conditions)) headers[objectHeaders[name]!] = value;
    const path = `/${Bucket}/${Key!.split('/').map(encodeURIComponent).join('/')}`;
    const method = objectMethods[operation]!;
    if (typeof Body === 'string') return { method, path, headers, body: Body };
    headers['content-length'] = String(Body.length);
    return { method, path, headers, body: '', bytes: Body };
  },
  output: (operation, { status, headers, body }) => {
    // A copy may fail after its response has begun (API Reference, CopyObject: "200 OK ... embedded error").
    if (operation === 'CopyObject' && !body.includes('<CopyObjectResult'))
      throw xmlFailure(operation, { status, headers, body });
    return objectOutput(operation, { status, headers, body });
  },
  failure: xmlFailure,
};

const objectOutput = (operation: string, { headers, body }: SignedResponse) => ({
  ...(headers.etag === undefined ? {} : { ETag: headers.etag }),
  ...(operation === 'GetObject' ? { Body: body } : {}),
  ...(headers['last-modified'] === undefined ? {} : { LastModified: new Date(headers['last-modified']) }),
});

const objectMethods: Readonly<Record<string, string>> = {
  CopyObject: 'PUT',
  DeleteObject: 'DELETE',
  GetObject: 'GET',
  PutObject: 'PUT',
};

const objectHeaders: Readonly<Record<string, string>> = {
  CopySource: 'x-amz-copy-source',
  ContentType: 'content-type',
  IfMatch: 'if-match',
  IfNoneMatch: 'if-none-match',
};

/** `awsJson`: JSON both ways, times as seconds (smithy.io, "AWS JSON protocol"). */
export const jsonProtocol = (target: string, version: '1.0' | '1.1'): Protocol => ({
  request: (operation, input) => ({
    method: 'POST',
    path: '/',
    headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` },
    body: JSON.stringify(input),
  }),
  output: (operation, { body }) =>
    body === '' ? {} : readWhole(operation, body, () => JSON.parse(body, asTime) as unknown),
  failure: jsonFailure,
});

/** Every number with such a name in the responses that are read is a time. */
const asTime = (key: string, value: unknown) =>
  typeof value === 'number' && /(Date|DateTime|At)$/.test(key) ? new Date(value * 1000) : value;

function xmlFailure(operation: string, { status, body }: SignedResponse): Error {
  const code = /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? `Http${status}`;
  const reason = /<Message>([^<]+)<\/Message>/.exec(body)?.[1] ?? noReason(status);
  return new AwsCallError(operation, { code, reason, status });
}

/** The error's name may carry a namespace before it and an address after it. */
function jsonFailure(operation: string, { status, headers, body }: SignedResponse): Error {
  const said = parseOrNothing(body);
  const type = said.__type ?? headers['x-amzn-errortype'] ?? `Http${status}`;
  const code = type.replace(/^.*#/, '').replace(/:.*$/, '');
  return new AwsCallError(operation, {
    code,
    reason: said.message || said.Message || noReason(status),
    status,
  });
}

function parseOrNothing(body: string): Readonly<Record<string, string | undefined>> {
  try {
    return Object(JSON.parse(body)) as Record<string, string | undefined>;
  } catch {
    return {};
  }
}

function wholeXml(operation: string, body: string): void {
  const found = readWhole(operation, body, () => readXml(body, `${operation}Response`, { members: {} }));
  if (found === undefined) throw unreadable(operation, body);
}

/** A response that is cut off, or comes from something else than AWS, is never taken for an empty one. */
function readWhole<T>(operation: string, body: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadable(operation, body, cause);
  }
}

const unreadable = (operation: string, body: string, cause?: unknown) =>
  new TransientError(`the response to ${operation} cannot be read: ${JSON.stringify(body.slice(-80))}`, {
    cause,
    remedy: 'if it stays so: something between the function and AWS responds instead (proxy, endpoint)',
  });

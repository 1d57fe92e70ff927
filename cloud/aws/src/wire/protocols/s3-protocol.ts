import { AwsError } from '../../account/errors.ts';
import { errorShape } from '../schema/error-shape.ts';
import { members, type OperationModel, type ServiceModel } from '../schema/service-model.ts';
import { unchunk } from '../transfer.ts';
import type { Protocol, Route, WireRequest, WireResponse } from './protocol.ts';
import { readRestInput } from './rest-input.ts';
import { type DocumentWriter, writeRestOutput } from './rest-output.ts';
import { matchRoute, type RestMatch } from './rest-route.ts';
import { xmlWriter } from './rest-xml-protocol.ts';
import { escapeXml, readXml, xmlMembers } from './xml.ts';

/** S3's variant of REST with XML: buckets in host or path, chunked bodies, an error envelope of its own. */
export const s3Protocol: Protocol = {
  route: (request, model) => routeS3(request, model),
  writeOutput: (operation, output, model, requestId) => {
    const value = (output ?? {}) as Record<string, unknown>;
    const writer = operation.name === 'GetBucketLocation' ? locationWriter(model) : xmlWriter(model);
    const response = writeRestOutput(operation, value, writer);
    // A part of an object comes as 206 (API Reference, GetObject, Range).
    return withIds(value.ContentRange === undefined ? response : { ...response, status: 206 }, requestId);
  },
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const codeAndMessage = `<Code>${escapeXml(shape.name)}</Code><Message>${escapeXml(error.message)}</Message>`;
    const ids = `<RequestId>${requestId}</RequestId><HostId>${requestId}</HostId>`;
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${codeAndMessage}${xmlMembers(shape)}${ids}</Error>`;
    return withIds({ status: shape.status, headers: { 'content-type': 'application/xml' }, body }, requestId);
  },
  malformedCode: 'MalformedXML',
  missingCode: 'MalformedXML',
};

function routeS3(sent: WireRequest, model: ServiceModel): Route {
  const { bucket, path } = bucketAndPath(sent);
  const match = matchRoute(sent, path, model, (operation) => takesBucket(operation) === (bucket !== undefined));
  if (match === undefined)
    throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405);
  const readInput = async () =>
    readRestInput({ request: unchunk(sent), match: inBucket(match, bucket), readDocument: readXml });
  return { operation: match.operation, readInput };
}

const takesBucket = (operation: OperationModel) => members(operation.input).some(([name]) => name === 'Bucket');

const inBucket = (match: RestMatch, bucket: string | undefined): RestMatch =>
  bucket === undefined ? match : { ...match, labels: { ...match.labels, Bucket: bucket } };

/**
 * Virtual-hosted style has the bucket in the host, path style in the path
 * (S3 User Guide, "Virtual hosting of general purpose buckets").
 */
export function bucketAndPath({ host, path }: Pick<WireRequest, 'host' | 'path'>): { bucket?: string; path: string } {
  const hosted = /^(.+?)\.(?:s3[.-]|localhost(?::|$))/.exec(host)?.[1];
  if (hosted !== undefined) return { bucket: hosted, path };
  const [, bucket, rest] = /^\/([^/]+)(.*)$/s.exec(path) ?? [];
  return bucket === undefined ? { path: '/' } : { bucket, path: rest || '/' };
}

/** GetBucketLocation alone has its text in the root element (S3 API reference, "GetBucketLocation", response syntax). */
const locationWriter = (model: ServiceModel): DocumentWriter => ({
  contentType: 'application/xml',
  write: (_schema, value) => {
    const { LocationConstraint = '' } = value as { LocationConstraint?: string };
    return `<LocationConstraint xmlns="${model.binding.xmlNamespace}">${escapeXml(LocationConstraint)}</LocationConstraint>`;
  },
});

const withIds = (response: WireResponse, requestId: string): WireResponse => ({
  ...response,
  headers: { ...response.headers, 'x-amz-request-id': requestId, 'x-amz-id-2': requestId },
});

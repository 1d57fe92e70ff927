import { gunzipSync } from 'node:zlib';
import type { HttpRequest } from '@drover/cloud-engine';
import { AwsError } from '../account/errors.ts';

/** Most bytes that a compressed body may inflate to. */
const maxInflatedBytes = 64 * 1024 * 1024;

/** Undoes `Content-Encoding: gzip`, which the SDK applies to large PutMetricData bodies. Synchronous: no turn of the event loop passes. */
export function inflate(request: HttpRequest): HttpRequest {
  if (request.headers['content-encoding']?.trim() !== 'gzip') return request;
  try {
    return { ...request, body: gunzipSync(request.body, { maxOutputLength: maxInflatedBytes }) };
  } catch {
    throw new AwsError('SerializationException', 'the body is not valid gzip, or too large', 400);
  }
}

/**
 * Undoes `aws-chunked`, in which S3 clients send streams: chunks with their own signatures, then trailers with a checksum.
 * Documented in the S3 API reference, "Signature calculations for the Authorization header: transferring payload in multiple chunks".
 */
export function unchunk<Request extends HttpRequest>(request: Request): Request {
  const encodings = (request.headers['content-encoding'] ?? '').split(',').map((name) => name.trim());
  const streaming = request.headers['x-amz-content-sha256']?.startsWith('STREAMING-') ?? false;
  if (!streaming && !encodings.includes('aws-chunked')) return request;
  const { body, trailers } = readChunks(request.body);
  const expected = request.headers['x-amz-decoded-content-length'];
  if (expected !== undefined && Number(expected) !== body.length) throw incomplete();
  const { 'content-encoding': _, ...headers } = { ...request.headers, ...trailers };
  const left = encodings.filter((name) => name !== 'aws-chunked' && name !== '');
  return {
    ...request,
    body,
    headers: left.length === 0 ? headers : { ...headers, 'content-encoding': left.join(',') },
  };
}

function readChunks(bytes: Uint8Array): { body: Uint8Array; trailers: Record<string, string> } {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const endOfLine = source.indexOf('\r\n', at);
    const size = endOfLine < 0 ? Number.NaN : chunkSize(source.toString('latin1', at, endOfLine));
    const start = endOfLine + 2;
    if (Number.isNaN(size) || start + size > source.length) throw incomplete();
    if (size === 0) return { body: Buffer.concat(chunks), trailers: readTrailers(source.toString('latin1', start)) };
    chunks.push(source.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** A chunk's size in hexadecimal digits, perhaps followed by its signature. */
function chunkSize(line: string): number {
  const digits = line.split(';')[0]!.trim();
  return /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}

function readTrailers(text: string): Record<string, string> {
  const trailers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) trailers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return trailers;
}

const incomplete = () =>
  new AwsError(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header.',
    400,
  );

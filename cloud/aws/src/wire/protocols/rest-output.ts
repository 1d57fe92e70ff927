import { NormalizedSchema, type StaticStructureSchema } from '../schema/sdk-schemas.ts';
import { members, type OperationModel } from '../schema/service-model.ts';
import type { WireResponse } from './protocol.ts';
import { isBound } from './rest-input.ts';
import { writeScalar } from './scalar-text.ts';

/** How a REST protocol writes a document. */
export interface DocumentWriter {
  readonly contentType: string;
  write(schema: NormalizedSchema, value: unknown): string | Uint8Array;
}

type Output = Readonly<Record<string, unknown>>;

/** Spreads an output over status, headers and body, as each member's HTTP binding says. */
export function writeRestOutput(operation: OperationModel, output: Output, writer: DocumentWriter): WireResponse {
  const [method, , status] = operation.http!;
  const headers: Record<string, string> = {};
  for (const [name, member] of members(operation.output)) writeHeader(headers, member, output[name]);
  const { body, contentType } = writeBody(operation, output, writer);
  if (contentType !== undefined && !bindsContentType(operation)) headers['content-type'] = contentType;
  // A HEAD response has the length of the body that a GET would have.
  if (method !== 'HEAD') headers['content-length'] = String(Buffer.byteLength(body));
  return { status: statusOf(operation, output) ?? status, headers, body, streams: operation.streamsOutput };
}

/** An object's own type, or none, is what its output says. */
const bindsContentType = (operation: OperationModel) =>
  members(operation.output).some(([, member]) => member.getMergedTraits().httpHeader?.toLowerCase() === 'content-type');

export function writeHeader(headers: Record<string, string>, member: NormalizedSchema, value: unknown): void {
  if (value === undefined || value === null) return;
  const { httpHeader, httpPrefixHeaders } = member.getMergedTraits();
  if (httpHeader !== undefined) headers[httpHeader.toLowerCase()] = headerText(writeScalar(member, value));
  if (httpPrefixHeaders === undefined) return;
  for (const [key, text] of Object.entries(value))
    headers[`${httpPrefixHeaders}${key}`.toLowerCase()] = headerText(String(text));
}

/** S3 encodes metadata that a header cannot carry as RFC 2047 says (S3 User Guide, "Working with object metadata"). */
function headerText(text: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

function statusOf(operation: OperationModel, output: Output): number | undefined {
  const bound = members(operation.output).find(([, member]) => member.getMergedTraits().httpResponseCode);
  const status = bound === undefined ? undefined : output[bound[0]];
  return typeof status === 'number' ? status : undefined;
}

function writeBody(operation: OperationModel, output: Output, writer: DocumentWriter) {
  const payload = members(operation.output).find(([, member]) => member.getMergedTraits().httpPayload);
  if (payload !== undefined) return writePayload(payload[1], output[payload[0]], writer);
  const document = documentOf(operation);
  return document === undefined
    ? { body: '' }
    : { body: writer.write(document, output), contentType: writer.contentType };
}

function writePayload(member: NormalizedSchema, value: unknown, writer: DocumentWriter) {
  if (value === undefined || value === null) return { body: '' };
  if (member.isBlobSchema()) return { body: value as Uint8Array, contentType: 'application/octet-stream' };
  if (member.isStringSchema()) return { body: String(value), contentType: 'text/plain' };
  return { body: writer.write(member, value), contentType: writer.contentType };
}

const documents = new WeakMap<OperationModel, NormalizedSchema | undefined>();

/** The output without the members that travel elsewhere; undefined when nothing is left. */
function documentOf(operation: OperationModel): NormalizedSchema | undefined {
  if (!documents.has(operation)) {
    const left = members(operation.output).filter(([, member]) => !isBound(member));
    documents.set(operation, left.length === 0 ? undefined : structureOf(operation.output, left));
  }
  return documents.get(operation);
}

function structureOf(schema: NormalizedSchema, parts: readonly [string, NormalizedSchema][]): NormalizedSchema {
  const [names, schemas] = [parts.map(([name]) => name), parts.map(([, member]) => member)];
  const raw: unknown = [3, 'wire', schema.getName() ?? 'Output', schema.getOwnTraits(), names, schemas];
  return NormalizedSchema.of(raw as StaticStructureSchema);
}

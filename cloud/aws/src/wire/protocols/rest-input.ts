import { AwsError } from '../../account/errors.ts';
import type { NormalizedSchema } from '../schema/sdk-schemas.ts';
import { members } from '../schema/service-model.ts';
import type { WireRequest } from './protocol.ts';
import type { RestMatch } from './rest-route.ts';
import { readScalar } from './scalar-text.ts';

/** How a REST protocol reads a document: JSON or XML. */
type DocumentReader = (schema: NormalizedSchema, body: Uint8Array) => unknown;

type Source = { readonly request: WireRequest; readonly match: RestMatch; readonly readDocument: DocumentReader };

/** Gathers an input from path, query, headers and body, as each member's HTTP binding says. */
export async function readRestInput(source: Source): Promise<Record<string, unknown>> {
  const { operation } = source.match;
  const input: Record<string, unknown> = {};
  let inBody = false;
  for (const [name, member] of members(operation.input)) {
    if (!isBound(member)) inBody = true;
    else assign(input, name, await readBound(name, member, source));
  }
  if (inBody && source.request.body.length > 0) await readUnbound(input, source);
  return input;
}

/** Whether a member travels outside the document. */
export function isBound(member: NormalizedSchema): boolean {
  const traits = member.getMergedTraits();
  return (
    Boolean(traits.httpLabel || traits.httpHeader || traits.httpQuery || traits.httpQueryParams) ||
    Boolean(traits.httpPayload || traits.httpResponseCode) ||
    traits.httpPrefixHeaders !== undefined
  );
}

async function readUnbound(input: Record<string, unknown>, { request, match, readDocument }: Source): Promise<void> {
  const schema = match.operation.input;
  const document = (await readDocument(schema, request.body)) as Record<string, unknown> | undefined;
  for (const [name, member] of members(schema)) if (!isBound(member)) assign(input, name, document?.[name]);
}

function readBound(name: string, member: NormalizedSchema, { request, match, readDocument }: Source): unknown {
  const traits = member.getMergedTraits();
  if (traits.httpPayload) return readPayload(member, request, readDocument);
  if (traits.httpLabel) return readLabel(member, match.labels[name]);
  if (traits.httpHeader) return readHeader(member, request.headers[traits.httpHeader.toLowerCase()]);
  if (traits.httpQuery) return readParameter(member, request.params.getAll(traits.httpQuery));
  if (traits.httpQueryParams) return readOtherParameters(member, request, match);
  return traits.httpPrefixHeaders === undefined ? undefined : readPrefixed(traits.httpPrefixHeaders, request);
}

function readPayload(member: NormalizedSchema, { body }: WireRequest, readDocument: DocumentReader): unknown {
  if (body.length === 0) return undefined;
  if (member.isBlobSchema()) return body;
  return member.isStringSchema() ? Buffer.from(body).toString() : readDocument(member, body);
}

const readLabel = (member: NormalizedSchema, text: string | undefined) =>
  text === undefined ? undefined : readScalar(member, decodeStep(text), 'http-binding');

function decodeStep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AwsError('InvalidURI', "Couldn't parse the specified URI.", 400);
  }
}

const readHeader = (member: NormalizedSchema, text: string | undefined) =>
  text === undefined ? undefined : readScalar(member, text, 'http-binding');

function readParameter(member: NormalizedSchema, texts: readonly string[]): unknown {
  if (texts.length === 0) return undefined;
  if (!member.isListSchema()) return readScalar(member, texts[0]!, 'http-binding');
  return texts.map((text) => readScalar(member.getValueSchema(), text, 'http-binding'));
}

/** Every parameter that no other member is bound to. */
function readOtherParameters(member: NormalizedSchema, request: WireRequest, { operation }: RestMatch): unknown {
  const taken = new Set(members(operation.input).map(([, other]) => other.getMergedTraits().httpQuery));
  const names = [...new Set(request.params.keys())].filter((name) => !taken.has(name));
  const value = (name: string) => readParameter(member.getValueSchema(), request.params.getAll(name));
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, value(name)]));
}

function readPrefixed(prefix: string, { headers }: WireRequest): unknown {
  const start = prefix.toLowerCase();
  const entries = Object.entries(headers).filter(([name]) => name.startsWith(start) && name.length > start.length);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(start.length), value]));
}

function assign(input: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) input[name] = value;
}

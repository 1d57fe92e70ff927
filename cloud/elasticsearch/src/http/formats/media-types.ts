import type { ElasticsearchError } from '../../engine/errors.ts';
import { majorOf } from '../../engine/state/versions.ts';
import { RestError } from '../responses/rest-error.ts';

export type Format = 'json' | 'yaml' | 'cbor' | 'smile';

/** A media type that the server knows, read from a header. */
export interface MediaType {
  readonly format: Format | 'text' | 'ndjson' | undefined;
  /** The version after `compatible-with`. */
  readonly version?: number;
  /** As it is written back in the response. */
  readonly text: string;
}

const names: Readonly<Record<string, MediaType['format']>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/smile': 'smile',
  'application/yaml': 'yaml',
  'application/cbor': 'cbor',
  'text/plain': 'text',
  'text/csv': 'text',
  'application/vnd.elasticsearch+json': 'json',
  'application/vnd.elasticsearch+smile': 'smile',
  'application/vnd.elasticsearch+yaml': 'yaml',
  'application/vnd.elasticsearch+cbor': 'cbor',
  'application/vnd.elasticsearch+x-ndjson': 'ndjson',
  'text/vnd.elasticsearch+plain': 'text',
};

function invalid(headers: string, type: string, reason: string): ElasticsearchError {
  return new RestError(400, {
    type: 'media_type_header_exception',
    reason: `Invalid media-type value on headers [${headers}]`,
    causedBy: { type, reason },
  });
}

/** Reads one header; undefined when it names nothing in particular or something that is not known. */
export function readMediaType(header: string | undefined, name: 'Accept' | 'Content-Type'): MediaType | undefined {
  if (header === undefined || header.trim() === '' || (name === 'Accept' && isAnything(header))) return undefined;
  const [type, ...parameters] = header.split(';').map((part) => part.trim());
  if (!/^[^\s/;]+\/[^\s/;]+$/.test(type!))
    throw invalid(name, 'illegal_argument_exception', `invalid media-type [${header}]`);
  const format = names[type!.toLowerCase()];
  const pairs = parameters.filter((part) => part !== '').map((part) => part.split('=').map((half) => half.trim()));
  if (pairs.some(([key, value]) => !key || !value))
    throw invalid(name, 'illegal_argument_exception', `invalid parameters for header [${header}]`);
  const compatible = pairs.find(([key]) => key?.toLowerCase() === 'compatible-with')?.[1];
  const shown =
    format === 'json' || format === 'yaml' || format === 'cbor' || format === 'smile'
      ? type!.toLowerCase()
      : 'application/json';
  const text = [shown, ...pairs.map(([key, value]) => `${key}=${value}`)].join(';');
  return { format, text, ...(compatible === undefined ? {} : { version: Number(compatible) }) };
}

/** A list is as good as anything: an 8.19 server does not look into it, not even for a version. */
const isAnything = (header: string) => header.includes(',') || header.split(';')[0]!.trim() === '*/*';

/**
 * Versioned media types must name this major or the one before it, and both headers the same
 * ("REST API compatibility"). A server of major N refuses clients that ask for N+1.
 */
export function checkCompatibility(
  accept: MediaType | undefined,
  contentType: MediaType | undefined,
  headers: { readonly accept?: string; readonly contentType?: string; readonly hasBody: boolean },
  serverVersion: string,
): void {
  const major = majorOf(serverVersion);
  const shown = `Accept=${headers.accept ?? 'null'}`;
  const outside = (version: number | undefined) => version !== undefined && version !== major && version !== major - 1;
  if (outside(accept?.version))
    throw invalid(
      'Accept, Content-Type',
      'status_exception',
      `Accept version must be either version ${major} or ${major - 1}, but found ${accept!.version}. ${shown}`,
    );
  if (!headers.hasBody) return;
  if (outside(contentType?.version))
    throw invalid(
      'Accept, Content-Type',
      'status_exception',
      `Content-Type version must be either version ${major} or ${major - 1}, but found ${contentType!.version}. Content-Type=${headers.contentType ?? 'null'}`,
    );
  const both = 'A compatible version is required on both Content-Type and Accept headers if either one has requested';
  const named = `${shown}, Content-Type=${headers.contentType ?? 'null'}`;
  if ((accept?.version ?? major) !== (contentType?.version ?? major))
    throw invalid(
      'Accept, Content-Type',
      'status_exception',
      `${both} a compatible version and the compatible versions must match. ${named}`,
    );
  if ((accept?.version === undefined) !== (contentType?.version === undefined))
    throw invalid('Accept, Content-Type', 'status_exception', `${both} a compatible version. ${named}`);
}

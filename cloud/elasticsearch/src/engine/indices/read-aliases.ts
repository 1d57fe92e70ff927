import type { Document } from '@drover/formats';
import type { AliasMetadata } from '../state/index-metadata.ts';
import { isDocument } from '../values/value.ts';

/** Aliases as the bodies of requests describe them. */
export function readAliases(aliases: Document): Map<string, AliasMetadata> {
  return new Map(Object.entries(aliases).map(([name, body]) => [name, readAlias(isDocument(body) ? body : {})]));
}

export function readAlias(body: Document): AliasMetadata {
  const text = (value: unknown) => (value === undefined || value === null ? undefined : String(value));
  const index_routing = text(body.index_routing ?? body.routing);
  const search_routing = text(body.search_routing ?? body.routing);
  return {
    ...(isDocument(body.filter) ? { filter: body.filter } : {}),
    ...(index_routing === undefined ? {} : { index_routing }),
    ...(search_routing === undefined ? {} : { search_routing }),
    ...(body.is_write_index === undefined
      ? {}
      : { is_write_index: body.is_write_index === true || body.is_write_index === 'true' }),
    ...(body.is_hidden === undefined ? {} : { is_hidden: body.is_hidden === true || body.is_hidden === 'true' }),
  };
}

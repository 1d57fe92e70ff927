import type { Document } from '@drover/formats';
import { ElasticsearchError } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { AliasMetadata } from '../state/index-metadata.ts';
import { isDocument } from '../values/value.ts';
import { refusedCharacters } from './index-name.ts';

/** Aliases as the bodies of requests describe them. */
export function readAliases(aliases: Document): Map<string, AliasMetadata> {
  for (const name of Object.keys(aliases)) refuseAliasName(name);
  return new Map(Object.entries(aliases).map(([name, body]) => [name, readAlias(isDocument(body) ? body : {})]));
}

const invalidAliasName = (name: string, why: string) =>
  new ElasticsearchError({ type: 'invalid_alias_name_exception', reason: `Invalid alias name [${name}]: ${why}` });

/** The rules for names of indices, but capital letters are allowed. */
export function refuseAliasName(name: string): void {
  const why = refusedCharacters(name);
  if (why !== undefined) throw invalidAliasName(name, why);
}

/** An alias must not hide an index. */
export function refuseIndexNames(state: ClusterState, aliases: Iterable<string>): void {
  for (const alias of aliases)
    if (state.indices.has(alias))
      throw invalidAliasName(alias, 'an index or data stream exists with the same name as the alias');
}

/** An alias takes documents for one index only. */
export function refuseTwoWriters(state: ClusterState, aliases: Iterable<string>): void {
  for (const alias of aliases) {
    const writers = [...state.indices.values()].filter((index) => index.aliases.get(alias)?.is_write_index === true);
    if (writers.length > 1)
      throw new ElasticsearchError({
        type: 'illegal_state_exception',
        reason: `alias [${alias}] has more than one write index [${writers.map(({ name }) => name).join(',')}]`,
      });
  }
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

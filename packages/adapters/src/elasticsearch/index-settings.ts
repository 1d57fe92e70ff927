import type { IndexSettings } from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asObject, asText } from './reading.ts';

/** The first line of a request may have 4 KB (`http.max_initial_line_length`). */
const mostNameBytes = 3_000;
const block = 'index.blocks.read_only';

export const indexSettings = (client: SearchClient): IndexSettings => ({
  values: async (name) => {
    // Every index has a UUID; without one it would be missing where it has no other setting of these.
    const names = ['index.uuid', name, block].join();
    const doc = asObject(
      await client.get(`/_all/_settings/${names}?flat_settings=true&expand_wildcards=all`),
      'settings',
    );
    const found = Object.entries(doc).map(
      ([index, each]) => [index, asObject(asObject(each, index).settings, index)] as const,
    );
    return new Map(
      found
        .filter(([index, settings]) => isOfUsers(index) && settings[block] !== 'true')
        .map(([index, settings]) => [index, settings[name] === undefined ? undefined : asText(settings[name], name)]),
    );
  },
  set: async (indices, name, value) => {
    const body = JSON.stringify({ [name]: value });
    for (const names of batchesOf(indices.map(encodeURIComponent)))
      await client.json({ method: 'PUT', path: `/${names.join()}/_settings?ignore_unavailable=true`, body });
  },
});

/** Names with a dot are Elasticsearch's own, but for the indices behind data streams. */
const isOfUsers = (index: string) => !index.startsWith('.') || index.startsWith('.ds-');

function batchesOf(names: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let bytes = mostNameBytes;
  for (const name of names) {
    if (bytes + name.length + 1 > mostNameBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(name);
    bytes += name.length + 1;
  }
  return batches;
}

/**
 * Writes the paths, methods and query parameters of the Elasticsearch APIs, modelled or not, and the names of queries and of types of
 * fields, from the published API description.
 */
import { writeFileSync } from 'node:fs';
import {
  fieldTypes,
  requestTable,
  searchNames,
  unmodelledRequests,
} from '../../cloud/elasticsearch/test/schema/request-table.ts';

/** Returns the files that it wrote. */
export function writeElasticsearchTables(): readonly string[] {
  const tables = {
    'http/routes/requests': requestTable(),
    'http/routes/unmodelled': unmodelledRequests(),
    'engine/documents/search-names': searchNames(),
    'engine/indices/field-types': fieldTypes(),
  };
  return Object.entries(tables).map(([name, table]) => {
    const file = `cloud/elasticsearch/src/${name}.json`;
    writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
    return file;
  });
}

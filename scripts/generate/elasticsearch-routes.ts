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

const write = (name: string, table: unknown) => {
  const file = new URL(`../../cloud/elasticsearch/src/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
};
write('http/routes/requests', requestTable());
write('http/routes/unmodelled', unmodelledRequests());
write('engine/documents/search-names', searchNames());
write('engine/indices/field-types', fieldTypes());

/** Writes the paths, methods and query parameters of the modelled Elasticsearch APIs, from the published API description. */
import { writeFileSync } from 'node:fs';
import { requestTable } from '../../cloud/elasticsearch/test/schema/request-table.ts';

const file = new URL('../../cloud/elasticsearch/src/http/routes/requests.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(requestTable(), null, 2)}\n`);

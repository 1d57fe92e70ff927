import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const compatibleWith = (major: number) => `application/vnd.elasticsearch+json; compatible-with=${major}`;

it('[rule 28] refuses a client that asks for compatibility with the next major version', async () => {
  const test = await TestCluster.formed(1);

  const own = await test.ask('GET', '/_cluster/health', { headers: { accept: compatibleWith(8) } });
  const next = await test.ask('GET', '/_cluster/health', { headers: { accept: compatibleWith(9) } });

  expect(own.status).toBe(200);
  expect(next.status).toBe(400);
  expect(next.body.error.type).toBe('media_type_header_exception');
});

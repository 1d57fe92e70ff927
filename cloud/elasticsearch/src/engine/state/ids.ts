import type { Random } from '@drover/core';

/** A 22-character URL-safe base64 id, the shape of node, index and allocation ids. */
export function base64Id(random: Random): string {
  return Buffer.from(random.hex(32), 'hex').toString('base64url');
}

/** A 20-character id, the shape of ids that Elasticsearch gives to documents and API keys. */
export function timeBasedId(random: Random): string {
  return Buffer.from(random.hex(30), 'hex').toString('base64url');
}

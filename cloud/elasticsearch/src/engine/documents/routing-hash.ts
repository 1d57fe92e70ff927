/** Murmur3 over the UTF-16LE bytes of a routing value, as Elasticsearch spreads documents over shards. */
export function routingHash(text: string): number {
  const length = text.length * 2;
  const byteAt = (at: number) => (text.charCodeAt(at >> 1) >> ((at & 1) * 8)) & 0xff;
  let hash = 0;
  const whole = length & ~3;
  for (let at = 0; at < whole; at += 4) {
    const block = byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24);
    hash ^= scramble(block);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = length - 1; at >= whole; at--) tail = (tail << 8) | byteAt(at);
  if (length > whole) hash ^= scramble(tail);
  hash ^= length;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const scramble = (block: number) => {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
};

/** Shard of a document: the hash over the number of routing shards, split down to the number of shards. */
export function shardOf(routing: string, shards: number): number {
  const routingShards = routingShardsFor(shards);
  const slot = ((routingHash(routing) % routingShards) + routingShards) % routingShards;
  return Math.floor(slot / (routingShards / shards));
}

/** The default number of routing shards lets an index be split by two up to 1024 shards. */
export function routingShardsFor(shards: number): number {
  let routing = shards;
  const most = Math.max(1, 10 - Math.ceil(Math.log2(shards)));
  for (let split = 0; split < most; split++) routing *= 2;
  return routing;
}

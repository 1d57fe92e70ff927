import { describe, expect, it } from 'vitest';
import { resolve } from './resolver.ts';
import { cacheName } from './root-filesystem.ts';

/** A query of a resolver for one name: header, labels, type, class. */
function query(name: string, type: number): Buffer {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, type, 0, 1]);
}

describe('the resolver of containers', () => {
  const addressOf = (name: string) => (name === 'api.github.com' ? '198.51.100.1' : undefined);

  it('the resolver returns the address of a name, with the identifier and the question of the query', () => {
    const asked = query('API.GitHub.com', 1);
    const response = resolve(asked, addressOf);

    expect(response.subarray(0, 4)).toEqual(Buffer.from([0xab, 0xcd, 0x81, 0x80]));
    expect(response.readUInt16BE(6)).toBe(1);
    expect(response.subarray(12, asked.length)).toEqual(asked.subarray(12));
    expect([...response.subarray(-4)]).toEqual([198, 51, 100, 1]);
  });

  it('the resolver has no IPv6 address for a name that exists', () => {
    const response = resolve(query('api.github.com', 28), addressOf);

    expect([response.readUInt16BE(2), response.readUInt16BE(6)]).toEqual([0x8180, 0]);
  });

  it('the resolver says that any other name does not exist', () => {
    const response = resolve(query('example.com', 1), addressOf);

    expect([response.readUInt16BE(2), response.readUInt16BE(6)]).toEqual([0x8183, 0]);
  });
});

describe('the cache of root filesystems', () => {
  it('a root filesystem is another one when its packages differ, whatever their order', () => {
    const name = cacheName({ suite: 'bookworm', packages: ['puppet', 'git'] });

    expect(cacheName({ suite: 'bookworm', packages: ['git', 'puppet'] })).toBe(name);
    expect(cacheName({ suite: 'bookworm', packages: ['git'] })).not.toBe(name);
    expect(name).toMatch(/^bookworm-[0-9a-f]{16}$/);
  });
});

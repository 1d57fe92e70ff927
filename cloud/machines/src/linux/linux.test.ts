import { describe, expect, it } from 'vitest';
import { packetRules } from './packet-rules.ts';
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

describe('the packets between containers', () => {
  const rulesOf = (ingress: Parameters<typeof packetRules>[0][number]['ingress']) =>
    packetRules([{ address: '10.0.0.10', hopLimit: 1, ingress }], '169.254.169.254')
      .split('\n')
      .map((line) => line.trim());

  it('a machine lets in what its security groups say, and nothing else that is new', () => {
    const rules = rulesOf([
      { protocol: 'tcp', fromPort: 9200, toPort: 9300, sources: ['10.0.0.11', '10.0.1.0/24', '10.0.0.11'] },
      { protocol: '-1', fromPort: undefined, toPort: undefined, sources: ['10.0.0.12'] },
      { protocol: 'udp', fromPort: 53, toPort: 53, sources: ['0.0.0.0/0'] },
      { protocol: 'tcp', fromPort: 22, toPort: 22, sources: [] },
    ]);

    const from = rules.indexOf('ct state established,related accept');
    expect(rules.slice(from + 1, from + 5)).toEqual([
      'ip saddr { 10.0.0.11, 10.0.1.0/24 } ip daddr 10.0.0.10 tcp dport 9200-9300 accept',
      'ip saddr { 10.0.0.12 } ip daddr 10.0.0.10 accept',
      'ip daddr 10.0.0.10 udp dport 53-53 accept',
      'ip daddr 10.0.0.10 counter drop',
    ]);
  });

  it('a machine without security groups lets everything in, and its metadata goes as many hops as it says', () => {
    const rules = rulesOf(undefined);

    expect(rules.join('\n')).not.toContain('drop');
    expect(rules).toContain('ip saddr 169.254.169.254 ip daddr 10.0.0.10 meta length > 80 ip ttl set 1');
  });
});

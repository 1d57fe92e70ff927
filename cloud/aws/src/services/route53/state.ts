import type { Random } from '@drover/core';
import { fullyQualified, type HostedZone, invalidChange, noZone, type RecordSet, recordKey } from './model.ts';

/** Hosted zones with their records. */
export class Zones {
  readonly all = new Map<string, HostedZone>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  create(name: string, options: { comment?: string; privateZone?: boolean } = {}): HostedZone {
    const zone: HostedZone = {
      id: `Z${this.#random.hex(20).toUpperCase()}`,
      name: fullyQualified(name),
      comment: options.comment ?? '',
      privateZone: options.privateZone ?? false,
      records: new Map(),
    };
    for (const record of ownRecords(zone.name)) zone.records.set(recordKey(record), record);
    this.all.set(zone.id, zone);
    return zone;
  }

  get(id: string | undefined): HostedZone {
    const zoneId = (id ?? '').replace('/hostedzone/', '');
    const zone = this.all.get(zoneId);
    if (zone === undefined) throw noZone(zoneId);
    return zone;
  }

  byName(name: string): HostedZone | undefined {
    return [...this.all.values()].find((zone) => zone.name === fullyQualified(name));
  }

  /** (API Reference, ChangeResourceRecordSets: actions CREATE, DELETE, UPSERT.) */
  change(zone: HostedZone, action: string, record: RecordSet): void {
    const key = recordKey(record);
    const described = `name='${record.name}', type='${record.type}'`;
    if (record.name !== zone.name && !record.name.endsWith(`.${zone.name}`))
      throw invalidChange(`RRSet with DNS name ${record.name} is not permitted in zone ${zone.name}`);
    if (action === 'CREATE' && zone.records.has(key))
      throw invalidChange(`Tried to create resource record set [${described}] but it already exists`);
    if (action === 'DELETE' && !zone.records.has(key))
      throw invalidChange(`Tried to delete resource record set [${described}] but it was not found`);
    if (action === 'DELETE') zone.records.delete(key);
    else zone.records.set(key, record);
  }

  /** The name that an address record points to. */
  aliasOf(name: string): string | undefined {
    const wanted = fullyQualified(name);
    for (const { records } of this.all.values()) {
      const record =
        records.get(recordKey({ name: wanted, type: 'A' })) ?? records.get(recordKey({ name: wanted, type: 'CNAME' }));
      const target = record?.alias?.dnsName ?? (record?.type === 'CNAME' ? record.values[0] : undefined);
      if (target !== undefined) return target.replace(/^dualstack\./, '').replace(/\.$/, '');
    }
    return undefined;
  }
}

export const nameServers: readonly string[] = ['com', 'net', 'org', 'co.uk'].map(
  (end, index) => `ns-${512 * index + 1}.awsdns-0${index}.${end}`,
);

/** Every zone has an NS and an SOA record. (Developer Guide, "NS and SOA records that Route 53 creates".) */
const ownRecords = (name: string): RecordSet[] => [
  { name, type: 'NS', ttl: 172_800, values: nameServers.map((server) => `${server}.`), alias: undefined },
  {
    name,
    type: 'SOA',
    ttl: 900,
    values: [`${nameServers[0]}. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`],
    alias: undefined,
  },
];

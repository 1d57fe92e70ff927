import { isIPv4, isIPv6 } from 'node:net';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import { fullyQualified, invalidChange, noZone, type RecordSet } from './model.ts';
import { nameServers, type Zones } from './state.ts';

/** Zones and the names in them. */
export const route53Resources = (zones: Zones): ResourceProviders => ({
  'AWS::Route53::HostedZone': {
    create: ({ properties }) => {
      const comment = properties.HostedZoneConfig?.Comment;
      const { id } = zones.create(properties.Name, comment === undefined ? {} : { comment });
      return { physicalId: id, attributes: { Id: id, NameServers: nameServers } };
    },
    update: ({ physicalId }) => ({ physicalId, attributes: { Id: physicalId, NameServers: nameServers } }),
    delete: ({ physicalId }) => void zones.all.delete(physicalId),
  },
  'AWS::Route53::RecordSet': {
    // `Ref` returns the domain name (Template Reference, "AWS::Route53::RecordSet").
    create: ({ properties }) => {
      requireRecord(properties);
      zones.change(zoneOf(zones, properties), 'CREATE', recordIn(properties));
      return { physicalId: properties.Name };
    },
    update: ({ physicalId, properties }) => {
      requireRecord(properties);
      zones.change(zoneOf(zones, properties), 'UPSERT', recordIn(properties));
      return { physicalId };
    },
    delete: ({ properties }) => zones.change(zoneOf(zones, properties), 'DELETE', recordIn(properties)),
  },
});

function zoneOf(zones: Zones, { HostedZoneId, HostedZoneName }: ResourceProperties) {
  if (HostedZoneId !== undefined) return zones.get(HostedZoneId);
  const zone = zones.byName(HostedZoneName);
  if (zone === undefined) throw noZone(HostedZoneName);
  return zone;
}

/** (API Reference, ResourceRecordSet.) */
function requireRecord({ Name, Type, TTL, ResourceRecords, AliasTarget }: ResourceProperties): void {
  const wrong = (why: string) => invalidChange(`Invalid Resource Record: ${why}, record: ${Name} ${Type}`);
  if (AliasTarget === undefined && TTL === undefined)
    throw wrong('Missing field TTL: it is required for records that are no aliases');
  const values = (ResourceRecords ?? []) as readonly string[];
  if (Type === 'A' && values.some((value) => !isIPv4(value))) throw wrong('ARRDATAIllegalIPv4Address');
  if (Type === 'AAAA' && values.some((value) => !isIPv6(value))) throw wrong('AAAARRDATAIllegalIPv6Address');
}

const recordIn = ({ Name, Type, TTL, ResourceRecords, AliasTarget }: ResourceProperties): RecordSet => ({
  name: fullyQualified(Name),
  type: Type,
  ttl: TTL === undefined ? undefined : Number(TTL),
  values: ResourceRecords ?? [],
  alias:
    AliasTarget === undefined
      ? undefined
      : {
          dnsName: AliasTarget.DNSName,
          hostedZoneId: AliasTarget.HostedZoneId,
          evaluateHealth: AliasTarget.EvaluateTargetHealth ?? false,
        },
});

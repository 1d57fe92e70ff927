import type {
  ChangeResourceRecordSetsCommandInput,
  CreateHostedZoneCommandInput,
  GetHostedZoneCommandInput,
  ListHostedZonesByNameCommandInput,
  ListResourceRecordSetsCommandInput,
  ResourceRecordSet,
} from '@aws-sdk/client-route-53';
import type { Engine } from '@drover/cloud-engine';
import type { Operations } from '../../account/service.ts';
import { fullyQualified, type HostedZone, type RecordSet } from './model.ts';
import { nameServers, type Zones } from './state.ts';

const onAny = (action: string) => () => [{ action: `route53:${action}`, resource: '*' }];
const onZone = (action: string) => (input: { HostedZoneId?: string | undefined; Id?: string | undefined }) => [
  { action: `route53:${action}`, resource: `arn:aws:route53:::hostedzone/${bare(input.HostedZoneId ?? input.Id)}` },
];
const bare = (id: string | undefined) => (id ?? '').replace('/hostedzone/', '');

/** Zones and records. */
export const route53Operations = (engine: Engine, zones: Zones): Operations => {
  const change = () => ({
    Id: `/change/C${engine.random.hex(20).toUpperCase()}`,
    Status: 'INSYNC',
    SubmittedAt: new Date(engine.clock.now()),
  });
  return {
    CreateHostedZone: {
      permissions: onAny('CreateHostedZone'),
      run: (input: CreateHostedZoneCommandInput) => {
        const comment = input.HostedZoneConfig?.Comment;
        const zone = zones.create(input.Name ?? '', comment === undefined ? {} : { comment });
        return { HostedZone: zoneShape(zone), ChangeInfo: change(), DelegationSet: { NameServers: [...nameServers] } };
      },
    },
    GetHostedZone: {
      permissions: onZone('GetHostedZone'),
      run: (input: GetHostedZoneCommandInput) => ({
        HostedZone: zoneShape(zones.get(input.Id)),
        DelegationSet: { NameServers: [...nameServers] },
      }),
    },
    ListHostedZones: {
      permissions: onAny('ListHostedZones'),
      run: () => ({ HostedZones: [...zones.all.values()].map(zoneShape), IsTruncated: false, MaxItems: 100 }),
    },
    ListHostedZonesByName: {
      permissions: onAny('ListHostedZonesByName'),
      run: (input: ListHostedZonesByNameCommandInput) => {
        const from = input.DNSName === undefined ? '' : fullyQualified(input.DNSName);
        const ordered = [...zones.all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
        const shown = ordered.filter(({ name }) => name >= from).slice(0, Number(input.MaxItems ?? 100));
        return { HostedZones: shown.map(zoneShape), IsTruncated: false, MaxItems: 100 };
      },
    },
    ListResourceRecordSets: {
      permissions: onZone('ListResourceRecordSets'),
      run: (input: ListResourceRecordSetsCommandInput) => ({
        ResourceRecordSets: [...zones.get(input.HostedZoneId).records.values()].map(recordShape),
        IsTruncated: false,
        MaxItems: 300,
      }),
    },
    ChangeResourceRecordSets: {
      permissions: onZone('ChangeResourceRecordSets'),
      run: (input: ChangeResourceRecordSetsCommandInput) => {
        const zone = zones.get(input.HostedZoneId);
        for (const { Action, ResourceRecordSet } of input.ChangeBatch?.Changes ?? [])
          zones.change(zone, Action ?? 'UPSERT', recordIn(ResourceRecordSet!));
        return { ChangeInfo: change() };
      },
    },
  };
};

function recordIn({ Name, Type, TTL, ResourceRecords, AliasTarget }: ResourceRecordSet): RecordSet {
  return {
    name: fullyQualified(Name ?? ''),
    type: Type ?? 'A',
    ttl: TTL,
    values: (ResourceRecords ?? []).map(({ Value }) => Value ?? ''),
    alias:
      AliasTarget === undefined
        ? undefined
        : {
            dnsName: AliasTarget.DNSName ?? '',
            hostedZoneId: AliasTarget.HostedZoneId ?? '',
            evaluateHealth: AliasTarget.EvaluateTargetHealth ?? false,
          },
  };
}

const zoneShape = (zone: HostedZone) => ({
  Id: `/hostedzone/${zone.id}`,
  Name: zone.name,
  CallerReference: zone.id,
  Config: { Comment: zone.comment, PrivateZone: zone.privateZone },
  ResourceRecordSetCount: zone.records.size,
});

const recordShape = ({ name, type, ttl, values, alias }: RecordSet) => ({
  Name: name,
  Type: type,
  ...(ttl === undefined ? {} : { TTL: ttl }),
  ...(alias === undefined
    ? { ResourceRecords: values.map((Value) => ({ Value })) }
    : {
        AliasTarget: {
          DNSName: fullyQualified(alias.dnsName),
          HostedZoneId: alias.hostedZoneId,
          EvaluateTargetHealth: alias.evaluateHealth,
        },
      }),
});

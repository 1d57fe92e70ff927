import type { CreateHostedZoneCommandInput } from '@aws-sdk/client-route-53';
import type { Engine } from '@drover/cloud-engine';
import type { Operations } from '../../account/service.ts';
import type { HostedZone } from './model.ts';
import { nameServers, type Zones } from './state.ts';

const onAny = (action: string) => () => [{ action: `route53:${action}`, resource: '*' }];

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
  };
};

const zoneShape = (zone: HostedZone) => ({
  Id: `/hostedzone/${zone.id}`,
  Name: zone.name,
  CallerReference: zone.id,
  Config: { Comment: zone.comment, PrivateZone: zone.privateZone },
  ResourceRecordSetCount: zone.records.size,
});

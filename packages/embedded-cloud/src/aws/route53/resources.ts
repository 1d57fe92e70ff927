import type { Random } from '@drover/core';
import type { ResourceProviders } from '../service.ts';

/** Zones and records as far as templates need them: ids and names. Nothing is resolved. */
export const route53Resources = (random: Random): ResourceProviders => ({
  'AWS::Route53::HostedZone': {
    shapeOnly: true,
    create: () => {
      const Id = `Z${random.hex(20).toUpperCase()}`;
      const NameServers = ['com', 'net', 'org', 'co.uk'].map((end, i) => `ns-${512 * i + 1}.awsdns-0${i}.${end}`);
      return { physicalId: Id, attributes: { Id, NameServers } };
    },
    update: ({ physicalId }) => ({ physicalId }),
    delete: () => {},
  },
  'AWS::Route53::RecordSet': {
    shapeOnly: true,
    // What Ref gives is the domain name (Template Reference, "AWS::Route53::RecordSet").
    create: ({ properties }) => ({ physicalId: properties.Name }),
    update: ({ physicalId }) => ({ physicalId }),
    delete: () => {},
  },
});

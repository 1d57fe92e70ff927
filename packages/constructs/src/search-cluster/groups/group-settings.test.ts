import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Network } from '../../props/network.ts';
import { Zone } from '../../props/zone.ts';
import type { SearchClusterProps } from '../props.ts';
import { SearchCluster } from '../search-cluster.ts';

const synthesised = (change: Partial<SearchClusterProps>) => {
  const stack = new Stack(new App(), 'stack');
  new SearchCluster(stack, 'Cluster', {
    environment: 'test',
    clusterName: 'logs',
    network: Network.fromIds({ vpcId: 'vpc-1', subnetIds: ['subnet-1', 'subnet-2', 'subnet-3'] }),
    zone: Zone.fromIds('Z1', 'example.com'),
    vpcCidrBlock: '10.0.0.0/16',
    ...change,
  });
  return Template.fromStack(stack);
};
const groups = (template: Template) =>
  Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup')).map(({ Properties }) => Properties);

describe('the input node_groups', () => {
  it('the usual inputs and the map give the same template', () => {
    const own = { masterCount: 5, dataCount: 4, instanceTypeData: 'r6i.large', dataVolumeSize: 300 };
    const map = { master: { count: 5 }, data: { count: 4, instanceType: 'r6i.large', volumeSize: 300 } };
    expect(synthesised({ nodeGroups: map }).toJSON()).toEqual(synthesised(own).toJSON());
  });

  it('a further group has a name, sizes and tags of its own, and no load balancer', () => {
    const [, , warm] = groups(synthesised({ nodeGroups: { warm: { tier: 'warm', count: 2 } } }));
    expect(warm).toMatchObject({ AutoScalingGroupName: 'logs-warm', MinSize: '2', MaxSize: '2' });
    expect(warm.TargetGroupARNs).toBeUndefined();
    expect(warm.Tags).toEqual(
      expect.arrayContaining([
        { Key: 'drover:node-group-of', Value: 'logs', PropagateAtLaunch: false },
        { Key: 'drover:node-roles', Value: 'data_warm remote_cluster_client', PropagateAtLaunch: false },
      ]),
    );
  });

  it('a deployment that adds a group waits for its nodes', () => {
    const template = synthesised({ nodeGroups: { warm: { tier: 'warm', count: 2 } } });
    template.hasResourceProperties('Custom::GreenCluster', { Masters: 3, DataNodes: 5 });
  });

  it('a group with no node any more stays, so that its nodes are drained before it is deleted', () => {
    const [, , warm] = groups(synthesised({ nodeGroups: { warm: { tier: 'warm', count: 0 } } }));
    expect(warm).toMatchObject({ MinSize: '0', MaxSize: '0' });
  });

  it.each([
    ['a tier that is none', { warm: { tier: 'lukewarm' as never } }, 'nodeGroups.warm.tier: "lukewarm" is not allowed'],
    ['a key that is no name', { 'warm-1': { tier: 'warm' } }, 'nodeGroups'],
    ['an input that a group has not', { warm: { tier: 'warm', size: 3 } as never }, 'there is no such input'],
    ['a group without a task', { other: {} }, 'nodeGroups.other: it does not say what its nodes are for'],
    ['tier and roles', { warm: { tier: 'warm', roles: ['data_warm'] } }, 'nodeGroups.warm: it has tier and roles'],
    ['a second group of masters', { other: { roles: ['master', 'data'] } }, 'nodeGroups.other.roles'],
    ['a group without data', { other: { roles: ['ingest'] } }, 'nodeGroups.other: its nodes hold no data'],
    ['masters with data', { master: { tier: 'hot' } }, 'nodeGroups.master: masters hold no data'],
    ['two masters', { master: { count: 2 } }, 'nodeGroups.master: 2 masters have no clear majority'],
    ['no data nodes behind their address', { data: { count: 0 } }, 'nodeGroups.data: the address of the data nodes'],
    ['no place for new indices', { data: { tier: 'warm' } }, 'nodeGroups: no group takes new indices'],
    ['frozen data without a licence', { cold: { tier: 'frozen' } }, 'nodeGroups.cold: frozen data are searchable'],
  ] as const)('refuses %s', (_title, nodeGroups, expected) => {
    expect(() => synthesised({ nodeGroups: nodeGroups as never })).toThrow(expected);
  });

  it('refuses a value that an input of its own has, too, and allows frozen data with the licence', () => {
    expect(() => synthesised({ dataCount: 4, nodeGroups: { data: { count: 5 } } })).toThrow(
      'dataCount: nodeGroups.data.count gives it too',
    );
    const frozen = { tier: 'frozen', licence: 'enterprise' } as const;
    expect(groups(synthesised({ nodeGroups: { frozen } }))).toHaveLength(3);
  });
});

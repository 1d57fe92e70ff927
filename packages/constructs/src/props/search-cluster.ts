import { given, without } from '../inputs/construct-inputs.ts';
import type { SearchClusterInputs, SearchClusterProps } from '../search-cluster/props.ts';
import { groupIds, Network, networkInputs, networkNames } from './network.ts';
import { Zone, zoneInputs, zoneNames } from './zone.ts';

/** How messages about props call the inputs that objects stand for. */
export const names = { ...networkNames, ...zoneNames } as const;

export const toInputs = ({ network, zone, clientSecurityGroups, ...inputs }: SearchClusterProps) => ({
  vpcCidrBlock: inputs.vpcCidrBlock ?? network?.vpc?.vpcCidrBlock,
  clientSecurityGroupIds: groupIds(clientSecurityGroups),
  ...given(inputs),
  ...networkInputs(network),
  ...zoneInputs(zone),
});

export const toProps = (inputs: SearchClusterInputs): SearchClusterProps => ({
  ...without(inputs, names),
  network: Network.fromIds(inputs),
  zone: Zone.fromIds(inputs.zoneId, inputs.zoneName),
});

import { given, without } from '../inputs/construct-inputs.ts';
import type { SearchUiInputs, SearchUiProps } from '../search-ui/props.ts';
import { KibanaCredentials, kibanaInputs, kibanaNames } from './kibana-credentials.ts';
import { groupIds, Network, networkInputs, networkNames } from './network.ts';
import { Zone, zoneInputs, zoneNames } from './zone.ts';

/** How messages about props call the inputs that objects stand for. */
export const names = { ...networkNames, ...zoneNames, ...kibanaNames } as const;

export const toInputs = (props: SearchUiProps) => {
  const { network, zone, credentials, clientSecurityGroups, taskSecurityGroups, ...inputs } = props;
  return {
    vpcCidrBlock: inputs.vpcCidrBlock ?? network?.vpc?.vpcCidrBlock,
    clientSecurityGroupIds: groupIds(clientSecurityGroups),
    taskSecurityGroupIds: groupIds(taskSecurityGroups),
    ...given(inputs),
    ...networkInputs(network),
    ...zoneInputs(zone),
    ...kibanaInputs(credentials),
  };
};

export const toProps = (inputs: SearchUiInputs): SearchUiProps => ({
  ...without(inputs, names),
  network: Network.fromIds(inputs),
  zone: Zone.fromIds(inputs.zoneId, inputs.zoneName),
  credentials: KibanaCredentials.fromSecretIds(inputs.kibanaSystemSecretId, inputs.kibanaTokenSecretId),
});

import { given, without } from '../inputs/construct-inputs.ts';
import type { RunnerFleetInputs, RunnerFleetProps } from '../runner-fleet/props.ts';
import { credentialInputs, credentialNames, credentialsFrom } from './github-credentials.ts';
import { levelFrom, levelInputs, levelNames } from './github-level.ts';
import { groupIds, Network, networkInputs, networkNames } from './network.ts';

/** How messages about props call the inputs that objects stand for. */
export const names = { ...levelNames, ...networkNames, ...credentialNames } as const;

export const toInputs = ({ level, network, credentials, extraSecurityGroups, ...inputs }: RunnerFleetProps) => ({
  // In a VPC the functions of a fleet reach the internet through NAT only; one without such subnets has none of them.
  lambdaSubnetIds: inputs.lambdaSubnetIds ?? network?.vpc?.privateSubnets.map(({ subnetId }) => subnetId),
  extraSecurityGroupIds: groupIds(extraSecurityGroups),
  ...given(inputs),
  ...levelInputs(level),
  ...networkInputs(network),
  ...credentialInputs(credentials),
});

export const toProps = (inputs: RunnerFleetInputs): RunnerFleetProps => ({
  ...without(inputs, names),
  // Inputs that were checked have exactly one of the three.
  level: levelFrom(inputs)!,
  network: Network.fromIds(inputs),
  credentials: credentialsFrom(inputs),
});

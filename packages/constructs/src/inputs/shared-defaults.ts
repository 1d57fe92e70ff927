import type { AddressInputs, ConfigurationProps } from './shared-props.ts';

/** Defaults of the inputs that configure an instance. */
export const configurationDefaults = (inputs: ConfigurationProps) => ({
  packages: inputs.packages ?? [],
  programsFromPackages: inputs.programsFromPackages ?? false,
  puppetHieraConfigPath: inputs.puppetHieraConfigPath ?? '/opt/drover/puppet/hiera.yaml',
  puppetModulePath: inputs.puppetModulePath ?? '/opt/drover/puppet/modules',
  puppetManifest: inputs.puppetManifest ?? '/opt/drover/puppet/manifests/site.pp',
});

/** Defaults of the inputs about load balancers. Without any address range the inputs are refused as contradictory. */
export const addressDefaults = (inputs: AddressInputs & { readonly subnetIds: readonly string[] }) => ({
  loadBalancerScheme: inputs.loadBalancerScheme ?? 'internal',
  loadBalancerSubnetIds: inputs.loadBalancerSubnetIds?.length ? inputs.loadBalancerSubnetIds : inputs.subnetIds,
  allowedCidrBlocks: inputs.allowedCidrBlocks?.length
    ? inputs.allowedCidrBlocks
    : inputs.clientSecurityGroupIds?.length
      ? []
      : [inputs.vpcCidrBlock ?? ''],
  clientSecurityGroupIds: inputs.clientSecurityGroupIds ?? [],
});

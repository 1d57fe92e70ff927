import type { AddressInputs, ConfigurationProps } from './shared-props.ts';

/** Debian 12 and 13, Ubuntu 22.04 and 24.04 all have a package of this name. */
export const defaultPuppetPackage = 'puppet';

/** Defaults of the inputs that configure an instance. */
export const configurationDefaults = (inputs: ConfigurationProps) => ({
  packages: inputs.packages ?? [],
  programsFromPackages: inputs.programsFromPackages ?? false,
  puppetPackage: inputs.puppetPackage ?? defaultPuppetPackage,
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

import type { ResourceProviders } from '../../../account/service.ts';
import type { Ec2State } from '../state.ts';
import { launchTemplateProvider } from './launch-template.ts';
import { networkProviders } from './network.ts';
import { securityGroupProvider, securityGroupRuleProvider } from './security-group.ts';

/** Every modelled CloudFormation resource type of EC2. */
export const ec2Resources = (ec2: Ec2State): ResourceProviders => ({
  'AWS::EC2::LaunchTemplate': launchTemplateProvider(ec2),
  'AWS::EC2::SecurityGroup': securityGroupProvider(ec2),
  'AWS::EC2::SecurityGroupIngress': securityGroupRuleProvider(ec2, false),
  ...networkProviders(ec2),
});

import type { Operations } from '../../../account/service.ts';
import type { Ec2State } from '../state.ts';
import { instanceOperations } from './instances.ts';
import { launchTemplateOperations } from './launch-templates.ts';
import { networkOperations } from './network.ts';
import { tagOperations } from './tags.ts';

/** Every modelled operation of EC2. */
export const ec2Operations = (ec2: Ec2State): Operations => ({
  ...instanceOperations(ec2),
  ...launchTemplateOperations(ec2),
  ...networkOperations(ec2),
  ...tagOperations(ec2),
});

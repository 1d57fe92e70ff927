import type { ResourceProviders } from '../../service.ts';
import type { Ec2 } from '../ec2.ts';

/** Every modelled CloudFormation resource type of EC2. */
export const ec2Resources = (_ec2: Ec2): ResourceProviders => ({});

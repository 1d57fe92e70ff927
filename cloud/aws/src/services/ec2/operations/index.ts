import { AwsError } from '../../../account/errors.ts';
import type { Operation, Operations } from '../../../account/service.ts';
import type { Ec2State } from '../state.ts';
import { imageOperations } from './images.ts';
import { instanceOperations } from './instances.ts';
import { launchTemplateOperations } from './launch-templates.ts';
import { networkOperations } from './network.ts';
import { runInstances } from './run-instances.ts';
import { tagOperations } from './tags.ts';
import { volumeOperations } from './volumes.ts';

/** Every modelled operation of EC2. */
export const ec2Operations = (ec2: Ec2State): Operations => {
  const all: Operations = {
    ...imageOperations(ec2),
    ...instanceOperations(ec2),
    ...launchTemplateOperations(ec2),
    ...networkOperations(ec2),
    ...runInstances(ec2),
    ...tagOperations(ec2),
    ...volumeOperations(ec2),
  };
  return Object.fromEntries(Object.entries(all).map(([name, operation]) => [name, dryRunnable(operation)]));
};

/** "Checks whether you have the required permissions for the operation, without actually making the request." (API Reference) */
const dryRunnable = (operation: Operation): Operation => ({
  ...operation,
  run(input: { readonly DryRun?: boolean }, call) {
    if (input.DryRun === true)
      throw new AwsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
    return operation.run(input, call);
  },
});

import type { Market } from '../../../account/neighbours.ts';
import type { LaunchSource } from '../model.ts';
import type { Scaler } from '../state.ts';

/** The types that a mixed-instances policy names, or describes; none if that of the launch template is meant. */
export const typesOf = (scaler: Scaler, { template, mixed }: LaunchSource, market: Market): readonly string[] =>
  (mixed?.overrides ?? []).flatMap(({ InstanceType, InstanceRequirements: requirements }) =>
    requirements === undefined ? (InstanceType ?? []) : scaler.aws.ec2.instanceTypesFor(template, requirements, market),
  );

import { clusterSurvives, fleetSurvives, type Survival } from '@drover/core/survival';
import { Annotations, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The report of synthesis on the single losses that a construct survives. Which zone a subnet is in is known at AWS alone. */
function say(scope: Construct, lists: readonly (readonly string[])[], survival: () => Survival): void {
  // A list that is resolved at deployment has no length yet.
  if (lists.some((list) => Token.isUnresolved(list))) return;
  Annotations.of(scope).addInfo(`${survival().line} (if each subnet is in a zone of its own)`);
}

interface FleetSettings {
  readonly scalingMode: 'idle' | 'jobs';
  readonly subnetIds: readonly string[];
  readonly functionSubnetIds: readonly string[];
}

export function sayWhatFleetSurvives(scope: Construct, settings: FleetSettings): void {
  const { scalingMode: mode, subnetIds, functionSubnetIds } = settings;
  say(scope, [subnetIds, functionSubnetIds], () =>
    fleetSurvives({ mode, zones: subnetIds.length, functionZones: functionSubnetIds.length }),
  );
}

interface ClusterSettings {
  readonly subnetIds: readonly string[];
  readonly nodes: Readonly<Record<'master' | 'data', { readonly count: number }>>;
}

export function sayWhatClusterSurvives(scope: Construct, { subnetIds, nodes }: ClusterSettings): void {
  say(scope, [subnetIds], () =>
    clusterSurvives({ masters: nodes.master.count, dataNodes: nodes.data.count, zones: subnetIds.length }),
  );
}

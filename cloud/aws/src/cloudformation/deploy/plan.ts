import { isDeepStrictEqual } from 'node:util';
import { checkProperties } from '../spec/check-properties.ts';
import { type PropertyChange, propertyChanges, worst } from '../spec/property-changes.ts';
import { resolve } from '../template/functions/resolve.ts';
import type { Resolved, Scope } from '../template/functions/scope.ts';
import type { DeployContext, ResolvedProperties, Stack, StackResource } from './model.ts';
import type { Deployment } from './prepare.ts';
import { attributeOf, baseScope } from './resource/scope-of.ts';
import { withStackTags } from './resource/tags.ts';
import { exportedValue } from './stack/exports.ts';

/** The planned effect of an update on one resource, as far as it can be known beforehand. */
export interface PlannedChange {
  readonly action: 'Add' | 'Modify' | 'Remove';
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId?: string;
  readonly changes: readonly PropertyChange[];
  /** Only for Modify. */
  readonly replacement?: 'True' | 'False' | 'Conditional';
}

/** Stands for a value that is known only after another resource was made or changed. */
const knownAfterApply = (what: string) => `{{changeSet:KNOWN_AFTER_APPLY:${what}}}`;

interface Plan {
  readonly resources: readonly PlannedChange[];
  /** Whether there is anything to do at all: resources, their metadata, outputs or tags. */
  readonly changesAnything: boolean;
}

/** Compares a stack with what a deployment wants, without touching anything. */
export function planUpdate(context: DeployContext, stack: Stack, deployment: Deployment, tags: Stack['tags']): Plan {
  const uncertain = new Map<string, 'new' | 'modified'>();
  const scope = planningScope(context, stack, deployment, uncertain);
  const resources: PlannedChange[] = [];
  for (const id of sorted(deployment)) {
    const change = planResource({ ...stack, tags }, deployment, id, scope);
    if (change === undefined) continue;
    uncertain.set(id, change.action === 'Add' || change.replacement === 'True' ? 'new' : 'modified');
    resources.push(change);
  }
  const removed = [...stack.resources.values()].filter(
    (each) => !deployment.dependencies.has(each.logicalId) && exists(each),
  );
  resources.push(...removed.map((each) => summary('Remove', each)));
  const changesAnything =
    resources.length > 0 || !isDeepStrictEqual(tags, stack.tags) || !sameRest(stack.deployment, deployment);
  return { resources, changesAnything };
}

const exists = (resource: StackResource) => !/^DELETE_(COMPLETE|SKIPPED)$/.test(resource.status);

const summary = (action: PlannedChange['action'], { logicalId, type, physicalId }: StackResource): PlannedChange => ({
  action,
  logicalId,
  type,
  ...(physicalId === undefined ? {} : { physicalId }),
  changes: [],
});

/** Every resource after what it needs. */
function sorted(deployment: Deployment): string[] {
  const order = new Set<string>();
  const visit = (id: string) => {
    if (order.has(id)) return;
    for (const needed of deployment.dependencies.get(id) ?? []) visit(needed);
    order.add(id);
  };
  for (const id of deployment.dependencies.keys()) visit(id);
  return [...order];
}

function planResource(stack: Stack, deployment: Deployment, id: string, scope: Scope): PlannedChange | undefined {
  const declared = deployment.template.Resources[id]!;
  const current = stack.resources.get(id);
  if (current === undefined || !exists(current))
    return { action: 'Add', logicalId: id, type: declared.Type, changes: [] };
  const resolved = resolve(declared.Properties ?? {}, scope) as ResolvedProperties;
  const wanted = withStackTags(stack, id, declared.Type, checkProperties(declared.Type, { ...resolved }).properties);
  const changes = propertyChanges(declared.Type, current.properties, wanted);
  if (changes.length === 0 && current.status !== 'CREATE_FAILED' && current.status !== 'UPDATE_FAILED')
    return undefined;
  const needs = worst(changes.map((each) => each.requiresRecreation));
  const replacement = needs === 'Always' ? 'True' : needs === 'Conditionally' ? 'Conditional' : 'False';
  return { ...summary('Modify', current), changes, replacement };
}

function planningScope(
  context: DeployContext,
  stack: Stack,
  deployment: Deployment,
  uncertain: ReadonlyMap<string, 'new' | 'modified'>,
): Scope {
  const current = (id: string) => stack.resources.get(id);
  return {
    ...baseScope(context, deployment),
    ref: (id): Resolved => (uncertain.get(id) === 'new' ? knownAfterApply(id) : current(id)?.physicalId),
    // Even a change in place may change attributes, such as the latest version of a launch template.
    attribute: (id, name): Resolved =>
      uncertain.has(id) || current(id) === undefined
        ? knownAfterApply(`${id}.${name}`)
        : attributeOf(current(id)!, name),
    importValue: (name) => exportedValue(context, name),
  };
}

/**
 * Outputs and resource metadata, which count besides resources. A change of policies, of the description or of unused
 * parameters alone is no update (User Guide, "DeletionPolicy attribute": it cannot be updated by itself).
 */
function sameRest(before: Deployment | undefined, after: Deployment): boolean {
  const metadata = (deployment: Deployment | undefined) =>
    Object.entries(deployment?.template.Resources ?? {}).map(([id, { Metadata }]) => [id, Metadata]);
  return (
    isDeepStrictEqual(before?.template.Outputs, after.template.Outputs) &&
    isDeepStrictEqual(metadata(before), metadata(after))
  );
}

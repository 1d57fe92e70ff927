import { isDeepStrictEqual } from 'node:util';
import type { Resolved } from '../template/functions/scope.ts';
import { definitionOf, isCustom, type Property, type PropertyType, specOf } from './resource-spec.ts';

/** Whether a change of a property needs a new resource, in the words of change sets. */
type RequiresRecreation = 'Always' | 'Conditionally' | 'Never';

export interface PropertyChange {
  readonly name: string;
  readonly requiresRecreation: RequiresRecreation;
}

type ResolvedObject = Readonly<Record<string, Resolved>>;

/** The top-level properties that differ, each with what its change needs. */
export function propertyChanges(type: string, before: ResolvedObject, after: ResolvedObject): PropertyChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (isCustom(type))
    return changed.map((name) => ({ name, requiresRecreation: name === 'ServiceToken' ? 'Always' : 'Never' }));
  const spec = specOf(type);
  return changed.map((name) => {
    const extra = (spec?.additionalReplacementProperties ?? []).filter(([first]) => first === name);
    const replaced = extra.some((path) => !isDeepStrictEqual(at(before, path), at(after, path)));
    if (replaced) return { name, requiresRecreation: 'Always' };
    return { name, requiresRecreation: strictest(spec?.properties[name], before[name], after[name]) };
  });
}

const at = (value: ResolvedObject, path: readonly string[]): Resolved =>
  path.reduce<Resolved>((inner, key) => (inner as Record<string, Resolved> | undefined)?.[key], value as Resolved);

function strictest(property: Property | undefined, before: Resolved, after: Resolved): RequiresRecreation {
  if (property === undefined || isDeepStrictEqual(before, after)) return 'Never';
  if (property.causesReplacement === 'yes') return 'Always';
  const inner = innerRecreation(property.type, before, after);
  if (inner !== 'Never') return inner;
  return property.causesReplacement === 'maybe' ? 'Conditionally' : 'Never';
}

/** Looks into objects and lists for a member that needs a new resource. */
function innerRecreation(type: PropertyType, before: Resolved, after: Resolved): RequiresRecreation {
  if (type.type === 'array' && Array.isArray(before) && Array.isArray(after))
    return worst(
      Array.from({ length: Math.max(before.length, after.length) }, (_, i) =>
        innerRecreation(type.element, before[i], after[i]),
      ),
    );
  if (type.type !== 'ref' || !isPlainObject(before) || !isPlainObject(after)) return 'Never';
  const members = definitionOf(type).properties;
  return worst(Object.keys(members).map((name) => strictest(members[name], before[name], after[name])));
}

const isPlainObject = (value: Resolved): value is Record<string, Resolved> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The most that any of several changes needs. */
export function worst(all: readonly RequiresRecreation[]): RequiresRecreation {
  if (all.includes('Always')) return 'Always';
  return all.includes('Conditionally') ? 'Conditionally' : 'Never';
}

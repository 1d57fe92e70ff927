import { templateFormatError, validationError } from '../errors.ts';
import { dependsOn, referencesIn } from './references.ts';
import type { Template } from './template.ts';

/** Which resources each resource needs first. */
export type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

/** The resources whose conditions hold, each with what it needs: by reference or by DependsOn. */
export function dependenciesOf(template: Template, condition: (name: string) => boolean): Dependencies {
  const active = Object.entries(template.Resources).filter(
    ([, resource]) => resource.Condition === undefined || condition(resource.Condition),
  );
  const ids = new Set(active.map(([id]) => id));
  const dependencies = new Map<string, Set<string>>();
  for (const [id, resource] of active) {
    const mentioned = referencesIn([resource.Properties ?? {}, resource.UpdatePolicy ?? {}], condition)
      .map((each) => each.name)
      .filter((name) => name in template.Resources);
    const absent = mentioned.filter((name) => !ids.has(name));
    if (absent.length > 0)
      throw templateFormatError(
        `Unresolved resource dependencies [${absent.join(', ')}] in the Resources block of the template (needed by ${id}; the condition of what it needs is false)`,
      );
    dependencies.set(id, new Set([...mentioned, ...dependsOn(resource.DependsOn)].filter((name) => ids.has(name))));
  }
  refuseCycle(dependencies);
  return dependencies;
}

function refuseCycle(dependencies: Dependencies): void {
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): void => {
    if (done.has(id)) return;
    const at = path.indexOf(id);
    if (at >= 0) throw validationError(`Circular dependency between resources: [${path.slice(at).join(', ')}]`);
    for (const needed of dependencies.get(id) ?? []) visit(needed, [...path, id]);
    done.add(id);
  };
  for (const id of dependencies.keys()) visit(id, []);
}

/** The same graph the other way round: what must be gone before each resource may go. */
export function reversed(dependencies: Dependencies): Dependencies {
  const dependants = new Map<string, Set<string>>([...dependencies.keys()].map((id) => [id, new Set()]));
  for (const [id, needs] of dependencies) for (const needed of needs) dependants.get(needed)?.add(id);
  return dependants;
}

/** Acts on every node after everything it needs; nodes that need nothing of each other run side by side. */
export async function inOrder(dependencies: Dependencies, act: (id: string) => Promise<void>): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const start = (id: string): Promise<void> => {
    const running = started.get(id);
    if (running !== undefined) return running;
    const needs = [...(dependencies.get(id) ?? [])].filter((needed) => dependencies.has(needed));
    const promise = Promise.all(needs.map(start)).then(() => act(id));
    started.set(id, promise);
    return promise;
  };
  await Promise.all([...dependencies.keys()].map(start));
}

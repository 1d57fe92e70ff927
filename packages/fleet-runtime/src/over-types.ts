import { defaultType } from '@drover/core/names/runner-fleet';
import { eachType, type RunnerType, unknownTypes } from '@drover/runner-fleet';
import type { CommonAws, ComposedGroup, composeFleet } from './compose.ts';
import { fallbackOf } from './function-config.ts';

type Pass = (event: unknown) => Promise<void>;

/**
 * A function's pass over the fleet's group, and over the group of each type. An event that names the group of a type is for that one alone; a
 * type whose pass fails keeps no other from its own.
 */
export function overTypes<Aws extends CommonAws>(
  fleet: ReturnType<typeof composeFleet<Aws>>,
  passOf: (group: ComposedGroup<Aws>) => Pass,
): Pass {
  const ofDefault = passOf(fleet);
  if (!fleet.config.hasTypes) return ofDefault;
  const { log, memory } = fleet.ports;
  const ofType = (type: RunnerType) => passOf(fleet.ofType(type));
  return async (event) => {
    const named = groupIn(event);
    const isOf = (groupName: string) =>
      named === groupName || (named !== undefined && named === fallbackOf({ ...fleet.config, groupName }));
    if (isOf(fleet.config.groupName)) return await ofDefault(event);
    // The platform may have asked another function for a pause.
    await memory.read();
    if (named !== undefined) {
      const type = (await fleet.types()).find(({ groupName }) => isOf(groupName));
      return type === undefined ? await ofDefault(event) : await ofType(type)(event);
    }
    const others = await fleet.types().then(
      (types) => types.map((type) => ({ type: type.name, run: () => ofType(type)(event) })),
      (error: unknown) => [unknownTypes(error)],
    );
    await eachType(log, [{ type: defaultType, run: () => ofDefault(event) }, ...others]);
  };
}

/** The group that a lifecycle event names. */
function groupIn(event: unknown): string | undefined {
  const { detail } = (event ?? {}) as { readonly detail?: { readonly AutoScalingGroupName?: unknown } | null };
  const name = detail?.AutoScalingGroupName;
  return typeof name === 'string' ? name : undefined;
}

/** Facts that decide on the machine image of a deployment whose inputs name none. */
export interface ImageFacts {
  /** Input `ami_release`: any text; a new one asks for the image that is current now. Empty: the first image stays. */
  readonly release: string;
  /** The image that this release had in an earlier deployment. */
  readonly remembered: string | undefined;
  /** Images of the instances that the cluster has. */
  readonly running: readonly string[];
}

/** The image that stays, so that no deployment replaces nodes for it; undefined: the current one is wanted. */
export function imageToKeep({ release, remembered, running }: ImageFacts): string | undefined {
  if (remembered !== undefined || release !== '') return remembered;
  // A cluster from before images were remembered.
  const counts = new Map<string, number>();
  for (const image of running) counts.set(image, (counts.get(image) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

interface NamedGroup {
  readonly groupName: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The group of this cluster that has the name of the other setting of `names_with_environment`: another name would replace every node. */
export const renamedGroup = (
  others: readonly NamedGroup[],
  tags: Readonly<Record<string, string>>,
): string | undefined =>
  others.find((group) => Object.entries(tags).every(([key, value]) => group.tags[key] === value))?.groupName;

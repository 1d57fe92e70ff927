/** One file of stories, run in namespaces of its own. */
export interface Story {
  /** Of the file, without `.story.ts`. */
  readonly name: string;
  readonly about: string;
  /** What takes longer has failed. */
  readonly seconds: number;
  /** Runs in CI. */
  readonly core: boolean;
}

/** All stories on real machines. The limits are twice what they take on two busy cores. */
export const stories: readonly Story[] = [
  { name: 'life', about: 'from launch to power-off, with a job during the drain', seconds: 300, core: true },
];

/** Who elects the master. */
export interface VotingFacts {
  /** Node ids of the last committed voting configuration. */
  readonly committed: readonly string[];
  /** Nodes that were taken out of voting by hand; the list is cleared only as a whole. */
  readonly exclusions: readonly { readonly nodeId: string; readonly nodeName: string }[];
}

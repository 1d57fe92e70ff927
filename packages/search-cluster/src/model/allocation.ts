/** One rule of Elasticsearch's allocation and what it said. */
export interface DeciderVerdict {
  /** `disk_threshold`, `same_shard`, `awareness`, … */
  readonly decider: string;
  readonly explanation: string;
}

/** What the allocation explanation says of one node that could take a shard. */
export interface NodeVerdict {
  readonly nodeId: string;
  readonly nodeName: string;
  /** False only for the decision `no`: `throttled` and `worse_balance` mean "later" and "possible". */
  readonly possible: boolean;
  /** The rules that said no. */
  readonly against: readonly DeciderVerdict[];
}

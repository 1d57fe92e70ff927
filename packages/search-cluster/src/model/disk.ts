/** A node's disk as Elasticsearch measures it. */
export interface NodeDisk {
  readonly nodeId: string;
  readonly totalBytes: number;
  readonly availableBytes: number;
}

/** The low watermark: above it no shard is allocated to a node. */
export type Watermark =
  /** Share of the disk that may be used, e.g. 0.85; the free space asked for never exceeds `maxHeadroomBytes`. */
  | { readonly kind: 'used-share'; readonly share: number; readonly maxHeadroomBytes?: number }
  /** Bytes that must stay free. */
  | { readonly kind: 'free-bytes'; readonly bytes: number };

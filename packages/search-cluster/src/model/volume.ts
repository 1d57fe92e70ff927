/** The volume with the data of an instance. */
export interface DataVolume {
  readonly volumeId: string;
  readonly instanceId: string;
  /** As its disk has it now. */
  readonly sizeGiB: number;
  /** The latest; undefined when it was never modified. */
  readonly modification: VolumeModification | undefined;
}

export interface VolumeModification {
  /** Its size can be used from `optimizing` on; another modification has to wait for `completed`. */
  readonly state: 'modifying' | 'optimizing' | 'completed' | 'failed';
  readonly targetGiB: number;
  readonly startedAt: number;
  readonly progressPercent: number;
}

/** A modification goes on: EC2 accepts no other one. */
export const isModified = ({ modification }: Pick<DataVolume, 'modification'>): boolean =>
  modification?.state === 'modifying' || modification?.state === 'optimizing';

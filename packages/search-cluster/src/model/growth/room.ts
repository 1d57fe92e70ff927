/** Whether the disks of a group have room, and the last step to give them more. */
export interface GroupRoom {
  /** Since when they have been above the low watermark, together; undefined when they are not. */
  readonly fullSince?: number;
  readonly step?: RoomStep;
}

export type RoomStep = {
  readonly at: number;
} /** The size of volumes that was asked for, and the bytes of the smallest disk before. */ & (
  | { readonly kind: 'volume'; readonly volumeGiB: number; readonly smallestBytes: number }
  /** The number of nodes that the group was to have. */
  | { readonly kind: 'count'; readonly desired: number }
);

/** By the name of the group, as the state bucket has it. */
export type RoomNote = Readonly<Record<string, GroupRoom>>;

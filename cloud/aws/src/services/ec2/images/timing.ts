import type { DelayRange } from '@drover/cloud-engine';

/** How long an image is `pending`: its snapshots are taken meanwhile. AWS promises nothing; small volumes take minutes. */
export const imageTiming = { pending: [60_000, 240_000] as DelayRange };

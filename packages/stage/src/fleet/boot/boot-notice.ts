import type { FleetAws } from '@drover/adapters/aws';
import { every } from '@drover/cloud-engine';
import type { ProcessContext } from '@drover/cloud-machines';
import { putReport } from './boot-beats.ts';

const noticeFile = '/opt/drover/spot-notice.py';
/** As in spot-notice.py. */
const pauseMs = 5_000;

/** The program beside the boot script, which says that EC2 takes the instance back. Only where the user data has it; returns how it ends. */
export function watchNotice(
  context: ProcessContext,
  aws: Pick<FleetAws, 's3'>,
  noticeAt: () => number | undefined,
): () => void {
  const { machine, clock, signal } = context;
  if (!machine.files.has(noticeFile) || !machine.instance.spot) return () => {};
  let over = false;
  const timer = every(clock, pauseMs, () => {
    if (signal.aborted) return end();
    if (over || noticeAt() === undefined) return;
    // The next round says it again.
    putReport(context, aws, { at: clock.now(), phase: 'booting', workers: 0, reclaimed: true }).catch(() => {});
  });
  const end = () => {
    over = true;
    timer.cancel();
  };
  return end;
}

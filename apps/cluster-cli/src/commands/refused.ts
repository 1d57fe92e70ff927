import { type Refusal, renderRefusal } from '@drover/core';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';

/** Says what was refused and why; the exit code of a refusal. */
export function refused({ log }: Context, refusal: Refusal): number {
  log.error(renderRefusal(refusal));
  return exitCodes.refused;
}

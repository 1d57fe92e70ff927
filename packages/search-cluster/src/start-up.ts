/**
 * The parts that `cluster-cli` needs at each start. The main entry point would make it load every decision and every
 * run.
 */
export { isAtLeast } from './model/health.ts';
export { lookAtTermination } from './run/drain/terminating-instance.ts';

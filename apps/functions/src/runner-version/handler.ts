import { runnerVersionFunction } from '@drover/fleet-runtime';
import { countingAws, lambdaRuntime } from '../lambda.ts';

export const handler = runnerVersionFunction({ ...lambdaRuntime(), aws: countingAws });

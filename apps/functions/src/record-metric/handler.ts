import { recordMetricFunction } from '@drover/fleet-runtime';
import { countingAws, lambdaRuntime } from '../lambda.ts';

export const handler = recordMetricFunction({ ...lambdaRuntime(), aws: countingAws });

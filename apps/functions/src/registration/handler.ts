import { registrationFunction } from '@drover/fleet-runtime';
import { countingAws, lambdaRuntime } from '../lambda.ts';

export const handler = registrationFunction({ ...lambdaRuntime(), aws: countingAws });

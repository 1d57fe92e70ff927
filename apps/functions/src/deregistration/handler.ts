import { lambdaSurroundings } from '../lambda.ts';
import { deregistrationFunction } from './deregistration.ts';

export const handler = deregistrationFunction(lambdaSurroundings());

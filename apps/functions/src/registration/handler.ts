import { lambdaSurroundings } from '../lambda.ts';
import { registrationFunction } from './registration.ts';

export const handler = registrationFunction(lambdaSurroundings());

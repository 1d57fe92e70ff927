import { lambdaSurroundings } from '../lambda.ts';
import { recordMetricFunction } from './record-metric.ts';

export const handler = recordMetricFunction(lambdaSurroundings());

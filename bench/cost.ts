import type { FleetProps } from '@drover/stage/fleet-template';
import { costAtZero, natMonth, totalOf } from '../scripts/docs/cost/at-zero.ts';
import { quietHour } from '../scripts/docs/cost/quiet-hour.ts';
import { atMost, type Figures, informative } from './figures.ts';

const type = { asgMinSize: 0, asgMaxSize: 10 };

/** The cost of a fleet in jobs mode without jobs in a month: from its template, an hour of it, and the price table. */
export async function benchCost(): Promise<Figures> {
  const of = async (inputs: FleetProps) => totalOf(costAtZero(await quietHour(inputs)));
  const one = await of({ ownLogKey: false });
  const two = await of({ ownLogKey: false, types: { large: type } });
  const three = await of({ ownLogKey: false, types: { large: type, arm: type } });
  return {
    'cost.fleet_at_zero_jobs': atMost(one, 9, 'USD/month'),
    'cost.fleet_at_zero_jobs_with_nat': informative(one + natMonth, 'USD/month'),
    'cost.fleet_at_zero_jobs_with_own_key': informative(totalOf(costAtZero(await quietHour())), 'USD/month'),
    'cost.first_type_at_zero': informative(two - one, 'USD/month'),
    'cost.further_type_at_zero': atMost(Math.round(100 * (three - two)) / 100, 0, 'USD/month'),
  };
}

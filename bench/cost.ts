import type { FleetProps } from '@drover/stage/fleet-template';
import { costAtZero, natMonth, totalOf } from '../scripts/docs/cost/at-zero.ts';
import { quietHour } from '../scripts/docs/cost/quiet-hour.ts';
import { atMost, type Figures, informative } from './figures.ts';

const type = { asgMinSize: 0, asgMaxSize: 10 };

/**
 * The cost of a fleet in jobs mode without jobs in a month, by default with long windows: from its template, an hour of it, and the price
 * table, without any free tier.
 */
export async function benchCost(): Promise<Figures> {
  const of = async (inputs: FleetProps = {}) => totalOf(costAtZero(await quietHour(inputs)));
  const one = await of();
  const adaptive = await of({ adaptiveWindows: true });
  const two = await of({ types: { large: type } });
  const three = await of({ types: { large: type, arm: type } });
  const adaptiveTwo = await of({ adaptiveWindows: true, types: { large: type } });
  const adaptiveThree = await of({ adaptiveWindows: true, types: { large: type, arm: type } });
  const further = (more: number, fewer: number) => atMost(Math.round(100 * (more - fewer)) / 100, 0, 'USD/month');
  return {
    'cost.fleet_at_zero_jobs': atMost(one, 9, 'USD/month'),
    'cost.fleet_at_zero_jobs_with_nat': informative(one + natMonth, 'USD/month'),
    'cost.fleet_at_zero_jobs_without_own_key': informative(await of({ ownLogKey: false }), 'USD/month'),
    'cost.fleet_at_zero_jobs_adaptive': atMost(adaptive, 5, 'USD/month'),
    'cost.fleet_at_zero_jobs_adaptive_with_nat': informative(adaptive + natMonth, 'USD/month'),
    'cost.first_type_at_zero': informative(two - one, 'USD/month'),
    'cost.further_type_at_zero': further(three, two),
    'cost.further_type_at_zero_adaptive': further(adaptiveThree, adaptiveTwo),
  };
}

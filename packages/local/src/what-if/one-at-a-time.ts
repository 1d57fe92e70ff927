import { TerminalError } from '@drover/core';

/** The parts of a template that scaling is made of. */
export interface ScalingTemplate {
  readonly Resources: Record<string, { readonly Type: string; Properties: Record<string, unknown> }>;
}

/**
 * Changes a fleet's template to what is common elsewhere: whenever too few runners are idle, one instance is added. The
 * alarm, its period and the warm-up stay, so that a comparison shows the steps alone.
 */
export function scaleOneAtATime(template: ScalingTemplate): void {
  const policies = Object.entries(template.Resources).filter(
    ([, { Type, Properties }]) => Type === 'AWS::AutoScaling::ScalingPolicy' && Properties.PolicyType === 'StepScaling',
  );
  const kept = policies.find(([, { Properties }]) => Properties.AdjustmentType === 'ChangeInCapacity');
  if (kept === undefined)
    throw new TerminalError('the template has no step policy that changes capacity, so one at a time cannot be tried');
  kept[1].Properties.StepAdjustments = [{ MetricIntervalUpperBound: 0, ScalingAdjustment: 1 }];
  for (const [id] of policies) if (id !== kept[0]) drop(template, id);
}

function drop(template: ScalingTemplate, id: string): void {
  delete template.Resources[id];
  for (const { Type, Properties } of Object.values(template.Resources))
    if (Type === 'AWS::CloudWatch::Alarm')
      Properties.AlarmActions = (Properties.AlarmActions as { readonly Ref?: string }[] | undefined)?.filter(
        ({ Ref }) => Ref !== id,
      );
}

import type { StepAdjustment } from '../api.ts';

type AdjustmentType = 'ChangeInCapacity' | 'ExactCapacity' | 'PercentChangeInCapacity';

/** The facts that a scaling policy weighs. */
interface AdjustmentFacts {
  readonly adjustmentType: AdjustmentType;
  /** The step's, or the simple policy's. */
  readonly adjustment: number;
  readonly minAdjustmentMagnitude: number | undefined;
  readonly desiredCapacity: number;
  readonly minSize: number;
  readonly maxSize: number;
}

export interface StepFacts extends Omit<AdjustmentFacts, 'adjustment'> {
  readonly steps: readonly StepAdjustment[];
  readonly metricValue: number;
  readonly threshold: number;
  /** In service and past the warm-up that begins when their launch hooks end. */
  readonly warmCapacity: number;
  /** On their way into service, or in it and still warming up. */
  readonly warmingCapacity: number;
  readonly terminatingCapacity: number;
}

/** The new desired capacity, or why it stays. */
export type AdjustmentDecision =
  | { readonly desired: number }
  | { readonly refused: 'no-step-matches' | 'already-there' | 'scale-out-in-progress' };

/**
 * The step whose bounds, relative to the threshold, hold the breach: above the threshold the lower bound is inclusive and
 * the upper exclusive, below it the other way round (Step adjustments for step scaling).
 */
export function stepFor(steps: readonly StepAdjustment[], breach: number): StepAdjustment | undefined {
  const above = steps.find((step) => lower(step) <= breach && breach < upper(step));
  const below = steps.find((step) => lower(step) < breach && breach <= upper(step));
  return breach > 0 ? above : breach < 0 ? below : (above ?? below);
}

const lower = (step: StepAdjustment) => step.MetricIntervalLowerBound ?? Number.NEGATIVE_INFINITY;
const upper = (step: StepAdjustment) => step.MetricIntervalUpperBound ?? Number.POSITIVE_INFINITY;

/**
 * Step scaling. Out: the adjustment is added to the capacity that is warm, so instances still warming up are what the same
 * breach asked for already. In: terminating instances still count, and nothing goes while a scale-out is in progress
 * (Step and simple scaling policies, Instance warmup).
 */
export function decideStepAdjustment(facts: StepFacts): AdjustmentDecision {
  const step = stepFor(facts.steps, facts.metricValue - facts.threshold);
  if (step === undefined) return { refused: 'no-step-matches' };
  const adjustment = step.ScalingAdjustment ?? 0;
  const { desiredCapacity } = facts;
  const base = adjustment < 0 ? desiredCapacity + facts.terminatingCapacity : facts.warmCapacity;
  const target = adjust({ ...facts, adjustment }, facts.adjustmentType === 'ExactCapacity' ? desiredCapacity : base);
  if (target < desiredCapacity && target < base && adjustmentShrinks(facts, adjustment))
    return facts.warmingCapacity > 0 ? { refused: 'scale-out-in-progress' } : { desired: target };
  return target > desiredCapacity ? { desired: target } : { refused: 'already-there' };
}

/** A growing step never shrinks the group because some of it is still warming up. */
const adjustmentShrinks = (facts: StepFacts, adjustment: number) =>
  facts.adjustmentType === 'ExactCapacity' ? adjustment < facts.desiredCapacity : adjustment < 0;

/** Simple scaling: one adjustment of the desired capacity. */
export function decideSimpleAdjustment(facts: AdjustmentFacts): AdjustmentDecision {
  const target = adjust(facts, facts.desiredCapacity);
  return target === facts.desiredCapacity ? { refused: 'already-there' } : { desired: target };
}

function adjust(facts: AdjustmentFacts, base: number): number {
  const { adjustment, adjustmentType, minSize, maxSize } = facts;
  const raw =
    adjustmentType === 'ExactCapacity'
      ? adjustment
      : adjustmentType === 'ChangeInCapacity'
        ? base + adjustment
        : base + percentOf(base, adjustment, facts.minAdjustmentMagnitude ?? 0);
  return Math.min(Math.max(raw, minSize), maxSize);
}

/** Rounded towards zero, but never to zero: "values between 0 and 1 are rounded to 1" (Scaling adjustment types). */
function percentOf(base: number, percent: number, leastMagnitude: number): number {
  const exact = (base * percent) / 100;
  const magnitude = exact === 0 ? 0 : Math.max(1, Math.trunc(Math.abs(exact)));
  const sign = percent < 0 ? -1 : 1;
  return percent === 0 ? 0 : sign * Math.max(magnitude, leastMagnitude);
}

/** The party that began the termination of an instance. */
export type Beginner =
  /** A program of ours, or what our template tells AWS to do: lifetime, balancing of zones, the refresh of a deployment. */
  | 'us'
  /** A caller with the rights of an operator. */
  | 'person'
  /** AWS by itself: the machine failed its health check, or spot capacity was taken back. */
  | 'aws';

/** The facts about a termination when it begins. */
export interface TerminationFacts {
  /** As the scaling activity says it. */
  readonly cause: string;
  /** ARN of the caller that asked for the termination of this instance, if there was one. */
  readonly by?: string | undefined;
  /** The refresh under way was started by a request, not by a deployment. */
  readonly refreshByPerson?: boolean;
}

/** Texts of Auto Scaling's activities (Verify a scaling activity), the most specific first. */
const causes: readonly (readonly [RegExp, (facts: TerminationFacts) => Beginner])[] = [
  [/instance refresh/, ({ refreshByPerson }) => (refreshByPerson === true ? 'person' : 'us')],
  [/Spot Instance interruption|EC2 health check|status checks/, () => 'aws'],
  [/taken out of service in response to a user request/, ({ by }) => (isProgram(by) ? 'us' : 'person')],
  [/a user request .*changing the desired capacity/, () => 'person'],
  [/forced delete/, () => 'person'],
];

/** Programs act with the session of a role; people of these worlds as the owner of the account. */
const isProgram = (arn: string | undefined) => arn?.includes(':assumed-role/') === true;

/** Lifetime, balancing, launches given up, alarms that scale in: whatever is not listed is ours. Pure. */
export const whoBegan = (facts: TerminationFacts): Beginner =>
  causes.find(([pattern]) => pattern.test(facts.cause))?.[1](facts) ?? 'us';

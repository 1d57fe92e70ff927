interface ToldActivity {
  readonly description: string;
  /** Why it began; empty in the moment in which it ended. */
  readonly cause: string;
  readonly outcome: 'Successful' | 'Failed' | 'Cancelled' | undefined;
  readonly message: string;
}

/**
 * An activity as a moment shows it: `DESCRIPTION: i-…: CAUSE (STATUS)`, or with its outcome. A failed one has its
 * message behind the instance, too.
 */
export function activityIn(what: string, instanceId: string): ToldActivity {
  const [description = '', ...others] = what.split(instanceId);
  const rest = others.join(instanceId).replace(/^:\s*/, '');
  const told = rest.replace(/^\.\s+Status Reason: /, '');
  const failed = told !== rest;
  const [, outcome, message] = /(?:^|: )(Successful|Failed|Cancelled)(?:: (.*))?$/s.exec(told) ?? [];
  if (outcome !== undefined)
    return { description, cause: '', outcome: outcome as ToldActivity['outcome'], message: message ?? told };
  // Of an activity that failed, the description has changed even in the moment of its beginning.
  const began = failed ? told.slice(Math.max(0, told.search(/: At \d/) + 2)) : told;
  return { description, cause: causeOf(began.replace(/ \(\w+\)$/, '')), outcome: undefined, message: '' };
}

/**
 * Why an activity began, from Auto Scaling's sentences: `At T a user request explicitly set group desired capacity changing … .  At T an
 * instance was started in response to a difference between desired and actual capacity, … .  At T instance i-… was selected for termination.`
 * What changed the capacity says more than that it differed.
 */
export function causeOf(text: string): string {
  const clauses = text
    .split(/\.\s+(?=At \d)/)
    .map((clause) => clause.replace(/^At \S+ /, '').replace(/\.?\s*$/, ''))
    .filter((clause) => clause !== '' && !/was selected for termination$/.test(clause));
  const reactions = clauses.map((clause) => /in response to (.*)$/.exec(clause)?.[1]);
  const changes = clauses.filter((_, index) => reactions[index] === undefined);
  const told = reactions.find((reaction) => reaction !== undefined);
  if (told === undefined) return clauses.join('; ');
  return /^a difference between/.test(told) && changes.length > 0 ? changes.join('; ') : told;
}

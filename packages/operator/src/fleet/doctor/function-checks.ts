import { notice, type Outcome, ok, problem } from '../../doctor/findings.ts';
import { listed, shortened } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import type { LogLine } from '../function-log.ts';
import type { DoctorFacts, FunctionFacts } from './facts.ts';
import { lookBackMs } from './look-back.ts';

const recently = duration(lookBackMs);
/** Most functions run every minute: one whose last failure is older has succeeded since. */
export const stillFailingMs = 5 * 60_000;

/** One failure is made good by the next run; failures that go on, or an alarm, are not. */
export function failing({ functions, now, stack, platform }: DoctorFacts): Outcome {
  const failed = Object.entries(functions).filter(
    ([, { failures, failureAlarms }]) => failures.length + failureAlarms.length > 0,
  );
  if (failed.length === 0) return ok(`no function failed within ${recently}`);
  const goesOn = failed.filter(([, facts]) => isGoingOn(facts, now));
  const told = (goesOn.length > 0 ? goesOn : failed).map(([, facts]) => lastWords(facts, now));
  const [suffix] = (goesOn[0] ?? failed[0])!;
  const log = `drover fleet logs ${suffix} --stack ${stack}, then correct what it names`;
  if (goesOn.length === 0)
    return notice(`${listed(told)}; it has not failed since`, `nothing now; if it comes back: ${log}`);
  return problem(
    listed(told),
    platform.kind === 'ok'
      ? log
      : `first what keeps the platform from being read, see above; if it goes on after that: ${log}`,
  );
}

const isGoingOn = ({ failures, failureAlarms }: FunctionFacts, now: number) =>
  failureAlarms.length > 0 || (failures.length > 1 && now - failures.at(-1)!.at < stillFailingMs);

function lastWords({ name, failures, failureAlarms }: FunctionFacts, now: number): string {
  const last = failures.at(-1);
  const logged =
    last === undefined
      ? `${name} logged no failure within ${recently}`
      : `${name} failed ${failures.length} ${failures.length === 1 ? 'time' : 'times'} within ${recently}, the last ${duration(now - last.at)} ago: ${words(last)}`;
  return failureAlarms.length === 0 ? logged : `${logged} (on: ${failureAlarms.join(', ')})`;
}

export function throttled({ functions }: DoctorFacts): Outcome {
  const all = Object.values(functions);
  const alarmed = all.filter(({ throttleAlarm }) => throttleAlarm).map(({ name }) => name);
  const reserved = all.filter(({ reservedConcurrency }) => reservedConcurrency !== undefined);
  if (alarmed.length === 0 && reserved.length === 0)
    return ok('no throttle alarm is in ALARM, no concurrency is reserved');
  const described = [
    ...alarmed.map((name) => `the alarm throttles-${name} is in ALARM`),
    ...reserved.map(({ name, reservedConcurrency }) => `${name} has a reserved concurrency of ${reservedConcurrency}`),
  ];
  const [first] = reserved;
  return problem(
    listed(described),
    first === undefined
      ? 'ask for a higher concurrency quota of the account, or find what else uses it'
      : `aws lambda delete-function-concurrency --function-name ${first.name}`,
  );
}

export function timedOut({ functions, stack }: DoctorFacts): Outcome {
  const slow = Object.values(functions).filter(({ failures }) => failures.some(isTimeout));
  if (slow.length === 0) return ok(`no function timed out within ${recently}`);
  const described = slow.map(
    ({ name, timeoutSeconds, failures }: FunctionFacts) =>
      `${name} (timeout ${timeoutSeconds} s): ${words(failures.filter(isTimeout).at(-1)!)}`,
  );
  return problem(
    listed(described),
    `the next run continues; if it comes back, see the platform's status (https://www.githubstatus.com) and what is left of the rate limit: drover fleet rate-limit --stack ${stack}`,
  );
}

const isTimeout = ({ text }: LogLine) => text.includes('Task timed out');

/** A log line as its message and error, shortened. */
export function words({ text }: LogLine): string {
  try {
    const { message, error, reason, errorMessage } = JSON.parse(/\{.*\}$/s.exec(text)?.[0] ?? '') as Record<
      string,
      unknown
    >;
    return shortened([message, reason, error, errorMessage].filter(Boolean).join(': '));
  } catch {
    return shortened(text);
  }
}

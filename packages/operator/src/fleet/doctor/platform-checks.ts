import { levelNames } from '@drover/core/names/platform-level';
import { alarmName } from '@drover/core/names/runner-fleet';
import { type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import type { DoctorFacts } from './facts.ts';

export function credentialsRejected({ platform, level, jobs }: DoctorFacts): Outcome {
  if (platform.kind === 'ok')
    return ok(
      jobs === undefined ? 'the platform lists runners with these credentials' : 'the platform takes these credentials',
    );
  if (platform.kind !== 'refused') return unknown(platform.message);
  const fix =
    platform.reason === 'bad-credentials'
      ? 'store a valid token (or app key) in the secret that the fleet names'
      : `give the credentials the right that they lack: ${levelNames[level.kind].right}`;
  return problem(platform.message, fix);
}

const dayMs = 24 * 3_600_000;
/** Two weeks to find who may make a new one. */
const soonMs = 14 * dayMs;

/** From the moment of its expiry on nothing registers, and nothing scales. */
export function tokenExpires({ tokenSecret, tokenExpiresAt, platform, now }: DoctorFacts): Outcome {
  if (tokenSecret === undefined) return ok('the fleet has an app, and renews its tokens itself');
  if (tokenExpiresAt === undefined)
    return platform.kind === 'ok' ? ok('the token does not expire') : unknown(platform.message);
  const days = Math.max(0, Math.floor((tokenExpiresAt - now) / dayMs));
  const when = `the token expires in ${days} days (${new Date(tokenExpiresAt).toISOString().slice(0, 10)})`;
  if (tokenExpiresAt - now > soonMs) return ok(when);
  return problem(
    when,
    `make a new token with the same rights at the platform, and store it: aws secretsmanager put-secret-value --secret-id ${tokenSecret} --secret-string file://token; nothing has to be deployed`,
  );
}

/** The platform's own failure, or the network between. The functions say whether it is only this machine that cannot reach it. */
export function platformUnreachable({ platform, platformApi, functions }: DoctorFacts): Outcome {
  if (platform.kind !== 'failed') return ok('the platform responds');
  const fail = Object.values(functions).some(
    ({ failures, failureAlarms }) => failures.length + failureAlarms.length > 0,
  );
  if (!fail)
    return unknown(
      `${platform.message}; the functions of the fleet reach it`,
      `check the network of this machine: it needs a way to ${platformApi}`,
    );
  return problem(platform.message, `${statusOf(platformApi)}; ${meanwhile}`);
}

const statusOf = (platformApi: string) =>
  new URL(platformApi).hostname === 'api.github.com' || platformApi.includes('.ghe.com')
    ? 'see https://www.githubstatus.com, and wait: the fleet goes on by itself when GitHub is back'
    : `see that ${platformApi} runs and that the functions' subnets have a way to it; the fleet goes on by itself then`;

/** actions/runner renews a job's lock every minute, and the service gives up a job that was not renewed for ten. */
const meanwhile =
  "until then nothing scales and no runner registers; a running job goes on for some minutes, then GitHub's own runner gives it up because it cannot be renewed: run it again afterwards";

/** Requests that the platform counts: used up, or nearly so. */
export function rateLimitLow({ platform, alarms, fleetName, stack }: DoctorFacts): Outcome {
  const look = `drover fleet rate-limit --stack ${stack} shows what is left and when it is renewed; give each fleet a token or an app of its own`;
  if (platform.kind === 'limited') return problem(platform.message, look);
  const name = alarmName.rateLimitLow(fleetName);
  if (alarms.some((alarm) => alarm.on && alarm.name === name)) return problem(`the alarm ${name} is on`, look);
  return ok('the platform takes more requests');
}

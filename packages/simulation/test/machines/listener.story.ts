import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';
import { listenerProgram, listenerRuns } from './linux/runner-programs.ts';

let fleet: LinuxFleet;
let id: string;

/** The listener, which ends with the code that a file says: GitHub's own reasons for most of them take hours. */
const wrapper = `trap 'kill -INT $pid' INT
/opt/actions-runner/bin/Runner.Listener run --startuptype service &
pid=$!
while kill -0 $pid 2>/dev/null; do wait $pid; code=$?; done
if [ -e /run/story/exit ]; then code=$(cat /run/story/exit); rm /run/story/exit; fi
exit $code
`;
const dropIn = '/run/systemd/system/actions-runner.service.d/exit.conf';
const install = `install -d -o actions-runner /run/story && mkdir -p $(dirname ${dropIn}) &&
echo ${Buffer.from(wrapper).toString('base64')} | base64 --decode > /run/story/listener &&
printf '[Service]\\nExecStart=\\nExecStart=/bin/bash /run/story/listener\\n' > ${dropIn} && systemctl daemon-reload`;

beforeAll(async () => {
  // Bash starts its listener in the background, where SIGINT is ignored, and .NET leaves it so.
  fleet = await LinuxFleet.deploy({}, { runner: 'stand-in' });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a listener that ends', () => {
  it('a listener that is killed during a job loses no job, and the runner comes back', async () => {
    const job = fleet.job(30);
    await fleet.untilJob(job, 'running', 60);
    await fleet.run(id, `pkill --signal KILL ${listenerProgram}`);
    await fleet.untilJob(job, 'completed', 120);
    await fleet.untilRuns('a listener runs again', id, listenerRuns, 180);
    await fleet.untilSeconds('its runner is online', () => fleet.online.includes(id), 240);
    // GitHub gives it a job only when it has noticed that the session of the killed listener is gone.
    const next = fleet.job(1);
    await fleet.untilJob(next, 'completed', 240);
    expect([job.result, next.result]).toEqual(['succeeded', 'succeeded']);
  });

  it.each([1, 2, 5, 7])('a listener that ends with %i is started again, or its instance is replaced', async (code) => {
    // The agent counts ends in a row, and waits longer after each.
    await fleet.run(id, `${install} && systemctl stop actions-runner; systemctl restart runner-agent`);
    await fleet.untilRuns('the wrapped listener runs', id, listenerRuns, 120);
    await fleet.untilSeconds('its runner is online', () => fleet.online.includes(id), 120);
    await fleet.run(id, `echo ${code} > /run/story/exit && pkill --signal INT ${listenerProgram}`);
    await fleet.untilRuns('it ended', id, 'test ! -e /run/story/exit', 30);
    const job = fleet.job(1);
    await fleet.untilJob(job, 'completed', 240);
    expect(job.result).toBe('succeeded');
    expect(fleet.stateOf(job.runnerName!)).toBe('InService');
  });
});

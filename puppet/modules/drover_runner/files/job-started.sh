#!/bin/sh
# The runner calls this before each job (ACTIONS_RUNNER_HOOK_JOB_STARTED); a failing hook would fail the job.
# It only tells the agent to look at once, and always succeeds within two seconds.
agent=${RUNNER_AGENT:-/opt/drover/bin/runner-agent}
timeout --signal=KILL 1.5 "$agent" job-started </dev/null >/dev/null 2>&1 || true
exit 0

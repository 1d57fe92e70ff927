#!/bin/sh
# The runner calls this after each job (ACTIONS_RUNNER_HOOK_JOB_COMPLETED) and takes no other job meanwhile; a failing hook would
# fail the job. It makes room when the disk is nearly full, and always succeeds within five minutes.
agent=${RUNNER_AGENT:-/opt/drover/bin/runner-agent}
timeout --signal=KILL 300 "$agent" job-completed </dev/null >/dev/null 2>&1 || true
exit 0

#!/bin/sh
# The runner calls this before each job (ACTIONS_RUNNER_HOOK_JOB_STARTED); a failing hook would fail the job.
# It tells the agent to look at once, notes the job in the journal of the service, and ends what earlier jobs have left running
# (clean_between_jobs), for at most half a minute. It always succeeds.
# journald finds out the unit of a process when it reads its first line: one is written before the agent starts, whose own line could be read
# when it has ended.
agent=${RUNNER_AGENT:-/opt/drover/bin/runner-agent}
journal=
[ -S /run/systemd/journal/stdout ] && journal='systemd-cat --identifier=runner-hook'
# shellcheck disable=SC2086
timeout --signal=KILL "${RUNNER_AGENT_SECONDS:-35}" $journal sh -c 'echo "the hook begins"; exec "$@"' sh "$agent" job-started </dev/null >/dev/null 2>&1 || true
exit 0

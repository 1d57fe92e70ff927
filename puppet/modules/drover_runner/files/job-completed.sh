#!/bin/sh
# The runner calls this after each job (ACTIONS_RUNNER_HOOK_JOB_COMPLETED) and waits for it without a limit; a failing hook
# would fail the job. The agent has three minutes to note the job's end in the journal and to make room on a full disk; whatever becomes of it, the job keeps its result.
# The first line is for journald: see job-started.sh.
agent=${RUNNER_AGENT:-/opt/drover/bin/runner-agent}
journal=
[ -S /run/systemd/journal/stdout ] && journal='systemd-cat --identifier=runner-hook'
# shellcheck disable=SC2086
timeout --signal=KILL "${RUNNER_AGENT_SECONDS:-180}" $journal sh -c 'echo "the hook begins"; exec "$@"' sh "$agent" job-completed </dev/null >/dev/null 2>&1 || true
exit 0

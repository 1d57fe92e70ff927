import type { searchRoles } from '@drover/adapters/search/roles';
import { type DecommissionCase, type DecommissionFacts, type DrainReporter, hookEndsAt } from '@drover/search-cluster';
import type { Context } from '../../context.ts';

/** Says how a drain goes on. What is left on the node is asked for only when somebody looks. */
export function drainReporter(
  context: Context,
  search: ReturnType<typeof searchRoles>,
  drain: DecommissionCase,
): DrainReporter {
  const endsAt =
    drain.terminating === undefined ? drain.deadlineAt : Math.min(drain.deadlineAt, hookEndsAt(drain.terminating.hook));
  const watched = context.io.stderr.isTTY;
  return {
    onWait: async (because, facts) => {
      const bytesLeft = watched && facts.stage === 'draining' ? await bytesOn(search, drain.nodeId) : undefined;
      context.progress.show({ because, shardsLeft: shardsLeft(facts), bytesLeft, endsAt });
    },
    onAction: (what) => context.log.info(what),
    onWarning: (what) => context.log.warn(what),
  };
}

const shardsLeft = (facts: DecommissionFacts) => (facts.stage === 'draining' ? facts.own.shardsRemaining : undefined);

/** Only for the eye: a failure here must not disturb the drain. */
const bytesOn = (search: ReturnType<typeof searchRoles>, nodeId: string) =>
  search.load.loadOf(nodeId).then(
    ({ bytes }) => bytes,
    () => undefined,
  );

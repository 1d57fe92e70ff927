import type { NodeAuthorities, NodeCertificates } from '@drover/search-cluster';
import { commandState, sendScript } from './node-scripts.ts';
import { type OperatorSsm, remoteAgents } from './remote-agents.ts';

/** A configuration run takes the certificates of the secrets; then Elasticsearch itself is asked. */
const script = '/opt/drover/bin/configure && /opt/drover/bin/cluster-cli --format json node certificates';

/** Has single nodes take the certificates of a phase and show them, by Systems Manager. */
export const nodeAuthorities = (ssm: OperatorSsm): NodeAuthorities => ({
  agents: (instanceIds) => remoteAgents(ssm, instanceIds),
  ask: (instanceId) => sendScript(ssm, instanceId, script, 'drover cluster rotate-authority'),
  state: async (instanceId, commandId) => {
    const { state, output, printed = '' } = await commandState(ssm, instanceId, commandId);
    if (state === 'running') return { state };
    return { state: 'ended', seen: state === 'succeeded' ? shownIn(printed) : { failed: lastLine(output) } };
  },
});

/** `configure` may print before it. */
function shownIn(printed: string): NodeCertificates | { readonly failed: string } {
  try {
    return JSON.parse(printed.slice(Math.max(0, printed.search(/^\{/m)))) as NodeCertificates;
  } catch {
    return { failed: `its command printed no certificates: ${printed.slice(0, 100)}` };
  }
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) || 'its command failed';

import type { Silence } from '@drover/runner-fleet';

const table = 'inet drover_drain';
/** Replaced as a whole, so that doing it twice is doing it once. */
const noRules = `table ${table}\ndelete table ${table}\n`;
/** Above every bare acknowledgement (IPv6, with all options), below every request. */
const longestAcknowledgement = 100;

/**
 * The firewall rules that keep the runner's user from the platform; no other user is touched. First it opens no new
 * connection: a request that is under way can finish. Then it sends nothing but acknowledgements: a response that is
 * on its way still arrives, whole, and a job that reaches the listener cannot be accepted. Flags are read, not the
 * state of connections: those from before the first such rule would count as new.
 */
export function silenceRules(user: string, stage: Silence): string {
  if (stage === 'off') return noRules;
  const own = `meta skuid "${user}"`;
  const rules = [
    `${own} tcp flags & (syn | ack) == syn counter reject`,
    ...(stage === 'requests'
      ? [`${own} meta l4proto tcp meta length <= ${longestAcknowledgement} accept`, `${own} counter reject`]
      : []),
  ];
  return `${noRules}table ${table} {
  chain output {
    type filter hook output priority filter; policy accept;
${rules.map((rule) => `    ${rule}\n`).join('')}  }
}
`;
}

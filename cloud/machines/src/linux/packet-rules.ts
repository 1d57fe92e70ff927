import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Packets that a machine lets in from other machines, as its security groups say. */
export interface Ingress {
  /** `tcp`, `udp`, or `-1` for everything. */
  readonly protocol: string;
  readonly fromPort: number | undefined;
  readonly toPort: number | undefined;
  /** Addresses and ranges. */
  readonly sources: readonly string[];
}

/** A machine, as the rules see it. */
export interface Filtered {
  readonly address: string;
  /** HttpPutResponseHopLimit of its metadata. */
  readonly hopLimit: number;
  /** Undefined: it lets everything in. */
  readonly ingress: readonly Ingress[] | undefined;
}

const table = 'inet drover_cloud';
/** Longer than a bare acknowledgement: handshakes reach every hop, data do not. */
const longestHandshake = 80;

/**
 * The rules of the cloud's network for packets of its machines. VPC User Guide, "Security groups": what no rule lets in is dropped; they are
 * stateful. EC2 User Guide, "Use IMDSv2": the response with the token goes as many hops as the instance says; here each response does.
 */
export function packetRules(machines: readonly Filtered[], metadataAddress: string): string {
  const closed = machines.filter(({ ingress }) => ingress !== undefined);
  const admitted = closed.flatMap(({ address, ingress = [] }) => ingress.flatMap((each) => accept(address, each)));
  const dropped = closed.map(({ address }) => `ip daddr ${address} counter drop`);
  const hops = machines.map(
    ({ address, hopLimit }) =>
      `ip saddr ${metadataAddress} ip daddr ${address} meta length > ${longestHandshake} ip ttl set ${hopLimit}`,
  );
  return `table ${table}
delete table ${table}
table ${table} {
  chain forward {
    type filter hook forward priority filter; policy accept;
    ct state established,related accept
${[...admitted, ...dropped].map((rule) => `    ${rule}\n`).join('')}  }
  chain output {
    type filter hook output priority mangle; policy accept;
${hops.map((rule) => `    ${rule}\n`).join('')}  }
}
`;
}

function accept(address: string, { protocol, fromPort, toPort, sources }: Ingress): string[] {
  if (sources.length === 0) return [];
  const from = sources.includes('0.0.0.0/0') ? '' : `ip saddr { ${[...new Set(sources)].join(', ')} } `;
  const to = `${from}ip daddr ${address}`;
  if (protocol === '-1') return [`${to} accept`];
  if (protocol !== 'tcp' && protocol !== 'udp') return [];
  return [`${to} ${protocol} dport ${fromPort ?? 0}-${toPort ?? 65_535} accept`];
}

/** Packets of a bridge go through the rules of its network. */
export function filterBridges(): void {
  writeFileSync('/proc/sys/net/bridge/bridge-nf-call-iptables', '1');
}

/** Replaces the rules as a whole. */
export async function loadRules(rules: string): Promise<void> {
  const nft = spawn('nft', ['--file', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  nft.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  nft.stdin.end(rules);
  await new Promise<void>((resolve, reject) => {
    nft.once('error', reject);
    nft.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`nft: ${said}`))));
  });
}

/** Writes docs/CLUSTER-CLI.md from the command tree, so that the reference cannot differ from the command. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tree } from '../../apps/cluster-cli/src/tree/tree.ts';
import { commandSections, optionTable } from './command-reference.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

/** The path of the page. */
export const clusterCliPage = fileURLToPath(new URL('../../docs/CLUSTER-CLI.md', import.meta.url));

/** The reference of `cluster-cli` as Markdown. */
export function clusterCliReference(): string {
  return [
    '# `cluster-cli`',
    '',
    '<!-- Written by scripts/docs/cluster-cli.ts from the command tree: change that, not this. -->',
    '',
    'Manages an Elasticsearch cluster that runs in autoscaling groups. It is installed on every node and finds its credentials',
    'there by itself; from elsewhere it needs the connection options.',
    '',
    '```',
    'cluster-cli [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]',
    '```',
    '',
    'Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 usage, 3 refused by a safety check,',
    '4 timed out, 5 stalled.',
    '',
    '## Global options',
    '',
    'They stand before the command.',
    '',
    ...optionTable(tree.globalOptions),
    '',
    passwords,
    ...commandSections(tree),
    '',
  ].join('\n');
}

const passwords = `The password comes from \`--password\`; else \`--password-secret\`; else the secret that the facts file
(\`/etc/puppetlabs/facter/facts.d/custom.json\`, \`/etc/facter/facts.d/*.json\`) names for the user; else \`CLUSTER_CLI_PASSWORD\`.
Monitoring commands (\`cluster-health\`, \`cat\`, \`snapshots list\`) first try without one, unless a password or another user was given.
For \`--es-protocol https\` a private CA certificate is read from \`CLUSTER_CLI_CA_FILE\`.
Formats other than \`text\` are rendered by Elasticsearch where the data is its own; \`cbor\` and \`smile\` are bytes and refused on a terminal.
`;

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(clusterCliPage, wrapMarkdown(clusterCliReference()));

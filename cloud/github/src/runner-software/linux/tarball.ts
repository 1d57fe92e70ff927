import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { keptVariables, standInVersion } from '../runner-files.ts';

export interface StandInOptions {
  /** @default the version that the stand-in claims to be */
  readonly version?: string;
  /** Node on the machine. @default DROVER_STAND_IN_NODE of its environment, /opt/drover/node/bin/node, or `node` on its PATH */
  readonly node?: string;
}

export interface StandInTarball {
  /** As GitHub names its releases. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const bundle = fileURLToPath(new URL('../../../dist/runner-stand-in.cjs', import.meta.url));

/** The stand-in in the layout of a release of actions/runner: unpack it, `config.sh`, `bin/Runner.Listener run`. */
export function standInTarball({ version = standInVersion, node }: StandInOptions = {}): StandInTarball {
  if (!existsSync(bundle)) throw new Error(`${bundle} does not exist: npm run build makes it`);
  const scripts = scriptsOf(node);
  const entries = [
    ...Object.entries(scripts).map(([name, text]) => entry(name, text, 0o755)),
    entry('bin/runner-stand-in.cjs', readFileSync(bundle, 'utf8'), 0o644),
    entry('.version', `${version}\n`, 0o644),
    entry('run-helper.sh.template', scripts['run.sh']!, 0o755),
  ];
  const bytes = gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
  return { name: `actions-runner-linux-x64-${version}.tar.gz`, bytes };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
const here = 'here="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)"';

/** The first Node that there is on the machine. */
const findNode = (node: string | undefined) =>
  `for node in "$DROVER_STAND_IN_NODE" ${node === undefined ? '' : `'${node}' `}/opt/drover/node/bin/node "$(command -v node)"; do
  [ -n "$node" ] && [ -x "$node" ] && break
done`;

/** An original is a program of its own: its process has the program's path as its name, not that of an interpreter. */
const program = (name: string, which: string, node: string | undefined) => `#!/bin/bash
${here}
${findNode(node)}
exec -a "$here/${name}" "$node" "$here/runner-stand-in.cjs" ${which} "$(dirname "$here")" "$@"
`;

function scriptsOf(node: string | undefined): Readonly<Record<string, string>> {
  return {
    'config.sh': `#!/bin/bash
if [ "$(id -u)" -eq 0 ] && [ -z "$RUNNER_ALLOW_RUNASROOT" ]; then echo "Must not run with sudo" >&2; exit 1; fi
${here}
cd "$here" || exit 1
if ! command -v ldd >/dev/null; then echo "Dependencies is missing for Dotnet Core 6.0: ldd" >&2; exit 1; fi
source ./env.sh
if [ "$1" = remove ]; then exec ./bin/Runner.Listener "$@"; fi
exec ./bin/Runner.Listener configure "$@"
`,
    // GitHub's wrapper turns every fatal code into success; 2, 3 and 4 start the listener again.
    'run.sh': `#!/bin/bash
if [ "$(id -u)" -eq 0 ] && [ -z "$RUNNER_ALLOW_RUNASROOT" ]; then echo "Must not run interactively with sudo" >&2; exit 1; fi
${here}
while :; do
  "$here/bin/Runner.Listener" run "$@"
  case $? in
    2 | 3 | 4) sleep 5 ;;
    7) exit 7 ;;
    *) exit 0 ;;
  esac
done
`,
    'env.sh': `#!/bin/bash
touch .env
for name in ${keptVariables}; do
  value="\${!name}"
  if [ -n "$value" ] && ! grep -q "^$name=" .env; then echo "$name=$value" >> .env; fi
done
echo "$PATH" > .path
`,
    'safe_sleep.sh': '#!/bin/bash\nsleep "$1"\n',
    'bin/Runner.Listener': program('Runner.Listener', 'listener', node),
    'bin/Runner.Worker': program('Runner.Worker', 'worker', node),
    'bin/installdependencies.sh': `#!/bin/bash
if [ "$(id -u)" -ne 0 ]; then echo "Need to run with sudo privilege" >&2; exit 1; fi
apt-get update && apt-get install -y libkrb5-3 zlib1g || exit 1
`,
    // The original has a Node of its own here.
    'externals/node20/bin/node': `#!/bin/bash\n${findNode(node)}\nexec "$node" "$@"\n`,
  };
}

/** One file of a tar archive, format ustar: a header of 512 bytes and the content in whole blocks. */
function entry(name: string, text: string, mode: number): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  header.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(0, 136, 12);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

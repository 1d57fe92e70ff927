import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { silenceRules } from '../../src/linux-host.ts';

const system = { unshare: 'unshare' };
const found = (program: string, args = ['--version']) => spawnSync(program, args).status === 0;
const ownNetwork =
  process.getuid?.() === 0 && found('nft') && found('curl') && found(system.unshare, ['--net', 'ip', 'link']);

it.skipIf(!ownNetwork)(
  `keeps the runner from the network and nobody else${ownNetwork ? '' : ' (skipped: needs root, nftables, iproute2, curl)'}`,
  () => {
    const script = `
      ip link set lo up
      python3 -m http.server --bind 127.0.0.1 --directory / 8080 >/dev/null 2>&1 &
      ask() { "$@" curl --silent --output /dev/null --max-time 5 http://127.0.0.1:8080/; echo $?; }
      until [ "$(ask env)" = 0 ]; do sleep 0.1; done
      ask setpriv --reuid nobody --clear-groups
      printf '%s' "$RULES" | nft --file -
      printf '%s' "$RULES" | nft --file -
      ask env
      ask setpriv --reuid nobody --clear-groups
      nft delete table inet drover_drain
      ask setpriv --reuid nobody --clear-groups
      kill $!`;

    const { stdout } = spawnSync(system.unshare, ['--net', 'sh', '-c', script], {
      encoding: 'utf8',
      timeout: 30_000,
      env: { ...process.env, RULES: silenceRules('nobody') },
    });

    // Before the rules and after them the runner reaches others; with them (loaded twice) only the rest does (curl: 7).
    expect(stdout.trim().split('\n')).toEqual(['0', '0', '7', '0']);
  },
);

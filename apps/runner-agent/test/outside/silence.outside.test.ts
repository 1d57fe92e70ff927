import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { silenceRules } from '../../src/host/silence.ts';

const system = { unshare: 'unshare' };
const found = (program: string, args = ['--version']) => spawnSync(program, args).status === 0;
const ownNetwork =
  process.getuid?.() === 0 && found('nft') && found('curl') && found(system.unshare, ['--net', 'ip', 'link']);

const skipped = ownNetwork ? '' : ' (skipped: needs root, nftables, iproute2, curl, python3)';

function inOwnNetwork(script: string, environment: Readonly<Record<string, string>>): string[] {
  const { stdout } = spawnSync(system.unshare, ['--net', 'sh', '-c', `ip link set lo up\n${script}`], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, ...environment },
  });
  return stdout.trim().split('\n');
}

it.skipIf(!ownNetwork)(`the silence of a listener keeps its user from the network and no other user${skipped}`, () => {
  const script = `
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

  // Before the rules and after them the runner reaches others; with them (loaded twice) only the rest does (curl: 7).
  for (const stage of ['new-connections', 'requests'] as const)
    expect(inOwnNetwork(script, { RULES: silenceRules('nobody', stage) })).toEqual(['0', '0', '7', '0']);
});

/**
 * A server that responds to each line with a megabyte, in two parts a second apart, and a client of the runner's user with one
 * open connection: it asks before the rules, during the second half of the response, and once more.
 */
const exchange = `
import encodings.idna, os, socket, subprocess, sys, threading, time
listening = socket.create_server(('127.0.0.1', 8080))
size = 500_000
def serve():
    connection, _ = listening.accept()
    for _ in iter(lambda: connection.recv(1000), b''):
        connection.sendall(b'x' * size)
        time.sleep(1)
        connection.sendall(b'x' * size)
threading.Thread(target=serve, daemon=True).start()
pid = os.fork()
if pid == 0:
    os.setgid(65534); os.setuid(65534)
    client = socket.create_connection(('127.0.0.1', 8080))
    def ask():
        client.settimeout(2)
        client.sendall(b'GET / HTTP/1.1 ' + b'h' * 500)
        got = 0
        try:
            while got < 2 * size: got += len(client.recv(65536))
        except OSError: pass
        print('whole' if got == 2 * size else 'nothing' if got == 0 else 'part', flush=True)
    ask(); ask()
    os._exit(0)
time.sleep(0.5)
subprocess.run(['nft', '--file', '-'], input=os.environ['RULES'].encode(), check=True)
os.waitpid(pid, 0)
`;

it.skipIf(!ownNetwork)(`the silence of a listener lets a response arrive whole that is on its way${skipped}`, () => {
  const run = (stage: 'new-connections' | 'requests') =>
    inOwnNetwork('python3 -c "$EXCHANGE"', { RULES: silenceRules('nobody', stage), EXCHANGE: exchange });

  // The first request came before the rules; the second one goes out on an open connection only while requests may.
  expect(run('new-connections')).toEqual(['whole', 'whole']);
  expect(run('requests')).toEqual(['whole', 'nothing']);
});

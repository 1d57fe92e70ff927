import { readFileSync } from 'node:fs';
import { whyNoDrives } from '@drover/cloud-machines/linux';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runnerFilesystem } from './linux/image.ts';
import { UnconfiguredMachine } from './linux/unconfigured-machine.ts';

const mebibyte = 1024 ** 2;
let machine: UnconfiguredMachine;

/** A file that grows by a line ten times a second. */
const counter = 'systemd-run --quiet --unit=counter sh -c "while :; do echo >> /run/counter; sleep 0.1; done"';
const counted = async () => Number(await machine.run('wc -l < /run/counter'));

describe('a machine that is a container', () => {
  beforeAll(async () => {
    machine = await UnconfiguredMachine.boot(512 * mebibyte);
  });
  afterAll(async () => await machine?.end());

  it('a container has its own processes, network and clock of boots, and nothing leads out of it', async () => {
    expect(await machine.run('cat /proc/1/comm')).toBe('systemd');
    expect(await machine.run('hostname')).toBe('ip-10-0-0-10');
    expect((await machine.container.execute('curl --silent --max-time 3 http://192.0.2.1/')).exitCode).not.toBe(0);
    expect((await machine.container.execute('exit 7')).exitCode).toBe(7);
  });

  it('a frozen container stands still, and goes on where it was when it is thawed', async () => {
    await machine.run(counter);
    await machine.until('it counts', 'test -s /run/counter');
    machine.container.freeze(true);
    await new Promise((done) => setTimeout(done, 2_000));
    machine.container.freeze(false);
    const before = await counted();
    await new Promise((done) => setTimeout(done, 1_000));
    expect(before).toBeLessThan(15);
    expect(await counted()).toBeGreaterThan(before);
    await machine.run('systemctl stop counter');
  });

  it('a container without its cable cannot reach the metadata service until it is connected again', async () => {
    const ask = 'curl --silent --max-time 2 --output /dev/null http://169.254.169.254/';
    await machine.container.connect(false);
    expect((await machine.container.execute(ask)).exitCode).toBe(28);
    await machine.container.connect(true);
    await machine.until('the service is there', `${ask}; test $? -ne 28 -a $? -ne 7`, 20);
  });

  it('a full disk refuses what is written, and has space again when it is emptied', async () => {
    const write = 'dd if=/dev/zero of=/var/tmp/file bs=1M count=50 2>&1';
    await machine.container.fillDisk(5 * mebibyte);
    expect((await machine.container.execute(write)).stdout).toContain('No space left on device');
    await machine.run('rm /var/tmp/file');
    await machine.container.fillDisk(400 * mebibyte);
    expect((await machine.container.execute(write)).exitCode).toBe(0);
  });

  it('a machine lets in from others what its security groups say, and its metadata goes as far as its hop limit', async ({
    skip,
  }) => {
    const ingress = [{ protocol: 'tcp', fromPort: 9200, toPort: 9200, sources: ['10.0.0.11'] }];
    const reason = await machine.filter({ hopLimit: 1, ingress });
    skip(reason !== '', reason);
    for (const port of [9200, 9300]) await machine.run(`systemd-run --quiet python3 -m http.server ${port}`);
    const neighbour = await machine.neighbour();
    const ask = (port: number) => `curl --silent --max-time 3 --output /dev/null http://10.0.0.10:${port}/`;
    await neighbour.until('the open port is reached', ask(9200), 20);
    expect((await neighbour.container.execute(ask(9300))).exitCode).toBe(28);
    await machine.until('the closed one is there', 'curl --silent --output /dev/null http://127.0.0.1:9300/');
    await neighbour.leave();

    // As a container on the bridge of Docker is: one hop further away.
    await machine.run(`ip link add hop type veth peer name far && touch /run/far && unshare --net=/run/far true
      ip link set far netns /run/far; ip address add 172.17.0.1/24 dev hop; ip link set hop up
      nsenter --net=/run/far sh -c 'ip address add 172.17.0.2/24 dev far; ip link set far up; ip route add default via 172.17.0.1'
      echo 1 > /proc/sys/net/ipv4/ip_forward
      nft 'add table ip story; add chain ip story nat { type nat hook postrouting priority srcnat; }; add rule ip story nat ip saddr 172.17.0.2 masquerade'`);
    const token = 'curl --silent --max-time 3 --request PUT http://169.254.169.254/latest/api/token';
    const fromFar = `nsenter --net=/run/far ${token}`;
    expect(await machine.run(token)).toBe('token');
    expect((await machine.container.execute(fromFar)).exitCode).toBe(28);
    await machine.filter({ hopLimit: 2, ingress });
    expect(await machine.run(fromFar)).toBe('token');
    await machine.run('ip link del hop && nft delete table ip story && umount /run/far');
  });

  it('the line of a job hook has the unit of the runner on a busy machine, although its process ends at once', async () => {
    const hook = readFileSync('puppet/modules/drover_runner/files/job-completed.sh', 'base64');
    await machine.run(`echo ${hook} | base64 --decode > /root/hook.sh
      printf '#!/bin/sh\\nsleep 0.1; echo hooked\\n' > /root/agent && chmod +x /root/agent`);
    const busy = '(for core in 1 2 3 4 5 6 7 8; do timeout 20 sh -c "while :; do :; done" & done)';
    await machine.run(
      `systemd-run --quiet --wait --unit=hooks sh -c '${busy}; for run in $(seq 40); do RUNNER_AGENT=/root/agent sh /root/hook.sh; done'`,
    );
    const lines = 'journalctl --sync; journalctl --output=json --identifier=runner-hook | grep hooked';
    expect(await machine.run(`${lines} | wc --lines`)).toBe('40');
    expect(await machine.run(`${lines} | grep --count '"_SYSTEMD_UNIT":"hooks.service"'`)).toBe('40');
  });

  it('a reboot is another boot of the same disk', async () => {
    await machine.run('touch /var/tmp/kept /run/lost');
    const { bootCount } = machine.container;
    await machine.container.execute('systemctl reboot');
    await machine.until('it is up again', 'test -e /var/tmp/kept -a ! -e /run/lost');
    expect(machine.container.bootCount).toBe(bootCount + 1);
  });

  it('a frozen container that loses power ends at once', async () => {
    machine.container.freeze(true);
    machine.container.cutPower();
    expect(await machine.ended).not.toBe(0);
    expect((await machine.container.execute('true')).exitCode).toBe(255);
  });
});

const reason = await whyNoDrives();
if (reason !== '') console.log(reason);

describe.skipIf(reason !== '')('a machine whose disk is a drive', () => {
  let other: UnconfiguredMachine;
  beforeAll(async () => {
    other = await UnconfiguredMachine.boot(512 * mebibyte, runnerFilesystem, 'drive');
  });
  afterAll(async () => await other?.end());

  it('a machine that loses its power has afterwards what it had synced, and not what it had only written', async () => {
    const { bootCount } = other.container;
    await other.run('echo kept > /var/tmp/synced && sync /var/tmp/synced /var/tmp && echo lost > /var/tmp/written');
    expect(await other.run('cat /var/tmp/written')).toBe('lost');
    await other.container.losePower();
    await other.until('it is up again', 'test -e /var/tmp/synced');
    expect(other.container.bootCount).toBe(bootCount + 1);
    expect(await other.run('cat /var/tmp/synced; cat /var/tmp/written 2> /dev/null || true')).toBe('kept');
  });
});

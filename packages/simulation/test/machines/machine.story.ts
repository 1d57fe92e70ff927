import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnconfiguredMachine } from './linux/unconfigured-machine.ts';

const mebibyte = 1024 ** 2;
let machine: UnconfiguredMachine;
beforeAll(async () => {
  machine = await UnconfiguredMachine.boot(512 * mebibyte);
});
afterAll(async () => await machine?.end());

/** A file that grows by a line ten times a second. */
const counter = 'systemd-run --quiet --unit=counter sh -c "while :; do echo >> /run/counter; sleep 0.1; done"';
const counted = async () => Number(await machine.run('wc -l < /run/counter'));

describe('a machine that is a container', () => {
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerFilesystem } from './linux/image.ts';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({ docker: true, passwordlessSudo: true }, { filesystem: dockerFilesystem });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a runner with the inputs docker and passwordless_sudo', () => {
  it('a job with the input docker is in the group docker and reaches the daemon by its socket', async () => {
    const job = fleet.job(
      1,
      'id --groups --name; stat --format "%U %G %a" /run/docker.sock; docker version --format "{{.Server.Version}}"',
    );
    await fleet.untilJob(job, 'completed', 60);
    expect(await fleet.outputOf(job)).toMatch(/^actions-runner docker\nroot docker 660\n\d+\.\d+/m);
    expect(job.result).toBe('succeeded');
  });

  it('a job with the input docker runs a container', async () => {
    // Nothing can be pulled: an image with a shell and what it is linked with.
    const files = 'usr/bin/dash lib/x86_64-linux-gnu/libc.so.6 lib64/ld-linux-x86-64.so.2';
    const job = fleet.job(
      1,
      `tar --create --dereference --directory=/ ${files} | docker import - tiny > /dev/null &&
       docker run --rm --network=none tiny /usr/bin/dash -c 'echo "in a container: $(read -r name < /proc/1/comm; echo $name)"'`,
    );
    await fleet.untilJob(job, 'completed', 90);
    expect(await fleet.outputOf(job)).toContain('in a container: dash');
    expect(job.result).toBe('succeeded');
  });

  it('a container on the bridge of Docker does not reach the metadata of the instance, and would without the forward chain of the firewall', async () => {
    const files =
      'usr/bin/bash lib/x86_64-linux-gnu/libtinfo.so.6 lib/x86_64-linux-gnu/libc.so.6 lib64/ld-linux-x86-64.so.2';
    const ask = async () => {
      const job = fleet.job(
        1,
        `tar --create --dereference --directory=/ ${files} | docker import - asking > /dev/null &&
         timeout 20 docker run --rm asking /usr/bin/bash -c 'exec 3<> /dev/tcp/169.254.169.254/80 && echo metadata reached || echo metadata refused'`,
      );
      await fleet.untilJob(job, 'completed', 90);
      return await fleet.outputOf(job);
    };
    expect(await ask()).toContain('metadata refused');

    await fleet.run(id, 'nft delete chain inet drover_metadata forward');
    expect(await ask()).toContain('metadata reached');
    await fleet.run(id, 'systemctl restart drover-metadata-firewall');
    expect(await ask()).toContain('metadata refused');
  });

  it('a job with the input passwordless_sudo becomes root without a password', async () => {
    const job = fleet.job(1, 'sudo --non-interactive id --user');
    await fleet.untilJob(job, 'completed', 60);
    expect(job).toMatchObject({ result: 'succeeded' });
    expect(await fleet.outputOf(job)).toMatch(/^0$/m);
  });

  it('a job without a shell of root still cannot reach the metadata of the instance', async () => {
    const { exitCode } = await fleet.try(id, 'curl --silent --max-time 5 http://169.254.169.254/', 'actions-runner');
    expect(exitCode).toBe(7);
  });
});

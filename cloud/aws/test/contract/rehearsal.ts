import { AttachUserPolicyCommand, CreateAccessKeyCommand, CreateUserCommand } from '@aws-sdk/client-iam';
import { clients, World } from '@drover/cloud-world';
import { ScaledClock } from '@drover/core';
import { serveAws } from '../../src/wire/wire.ts';

/** The keys of a new user who may do everything, as in an account. */
export async function administratorOf(world: World): Promise<{ accessKeyId: string; secretAccessKey: string }> {
  const { iam } = clients(world);
  const UserName = 'administrator';
  await iam.send(new CreateUserCommand({ UserName }));
  await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  return { accessKeyId: AccessKey!.AccessKeyId!, secretAccessKey: AccessKey!.SecretAccessKey! };
}

/** An embedded cloud that stands in for an account: over HTTP, on a clock that runs by itself. */
export interface Rehearsal {
  /** Variables that make the clients of other processes find it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function serveRehearsal(speed: number): Promise<Rehearsal> {
  const world = new World({ clock: new ScaledClock({ speed }) });
  letAgentsBeStopped(world);
  const { accessKeyId, secretAccessKey } = await administratorOf(world);
  const served = await serveAws(world);
  return {
    environment: {
      AWS_ENDPOINT_URL: served.url,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: world.aws.region,
      AWS_EC2_METADATA_DISABLED: 'true',
      DROVER_CONTRACT_SPEED: String(speed),
    },
    close: () => served.close(),
  };
}

/** On a real machine systemd-run carries the command out a little later. */
function letAgentsBeStopped(world: World): void {
  world.machines.onBoot(
    () => true,
    async ({ machine }) => {
      machine.defineCommand('systemd-run', async () => {
        world.engine.clock.after(5_000, () => world.machines.get(machine.instance.id)?.killAgent());
        return 0;
      });
      return 0;
    },
  );
}

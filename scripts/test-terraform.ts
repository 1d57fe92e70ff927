/**
 * `npm run test:terraform`: the modules of a release, applied with Terraform or OpenTofu and HashiCorp's AWS provider to the embedded cloud.
 *
 * Exit codes: 0 all held, 1 something did not hold, 3 a tool cannot be had here (the reason is printed).
 */
import { spawnSync } from 'node:child_process';
import { NoProvider, providerMirror } from './release/terraform/aws-provider.ts';

/** Both read the same modules; the provider is served to either under its own registry's name. */
const tool = ['terraform', 'tofu'].find((name) => spawnSync(name, ['version'], { stdio: 'ignore' }).status === 0);

function unavailable(reason: string): never {
  console.log(`The modules for Terraform are not applied: ${reason}`);
  console.log('0 passed, 0 failed, 0 skipped');
  process.exit(3);
}

function mirror(): string {
  try {
    const started = process.hrtime.bigint();
    const folder = providerMirror();
    console.log(`the AWS provider is there after ${(process.hrtime.bigint() - started) / 1_000_000_000n} s`);
    return folder;
  } catch (error) {
    if (error instanceof NoProvider) unavailable(error.message);
    throw error;
  }
}

if (tool === undefined) unavailable('there is neither terraform nor tofu here');
const env = { ...process.env, DROVER_TERRAFORM: tool, DROVER_TERRAFORM_MIRROR: mirror() };
const lane = ['scripts/test/lane.ts', 'terraform', 'scripts/release/terraform/vitest.config.ts'];
const { status } = spawnSync('npx', ['tsx', ...lane], { stdio: 'inherit', env });
process.exit(status ?? 1);

/**
 * `npm run test:terraform`: the modules of a release, applied with Terraform and HashiCorp's AWS provider to the embedded cloud.
 *
 * Exit codes: 0 all held, 1 something did not hold, 3 a tool cannot be had here (the reason is printed).
 */
import { spawnSync } from 'node:child_process';
import { NoProvider, providerMirror } from './release/terraform/aws-provider.ts';

const { DROVER_TERRAFORM: tool = 'terraform' } = process.env;

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

if (spawnSync(tool, ['version'], { stdio: 'ignore' }).status !== 0) unavailable(`there is no ${tool} here`);
const env = { ...process.env, DROVER_TERRAFORM: tool, DROVER_TERRAFORM_MIRROR: mirror() };
const lane = ['scripts/test/lane.ts', 'terraform', 'scripts/release/terraform/vitest.config.ts'];
const { status } = spawnSync('npx', ['tsx', ...lane], { stdio: 'inherit', env });
process.exit(status ?? 1);

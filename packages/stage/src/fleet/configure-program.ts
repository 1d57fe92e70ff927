import { asFetch } from '@drover/cloud-engine';
import { type CodeHost, runnerFile } from '@drover/cloud-github';
import type { Program } from '@drover/cloud-machines';

/** How long GitHub may take to answer `config.sh`. */
const configureTimeoutMs = 60_000;

/** What `config.sh` does: asks GitHub, then writes down which runner this is. It refuses a runner that is configured. */
export function configureProgram(codeHost: CodeHost): Program {
  return async ({ argv, env, machine, clock, http, stdout, stderr }) => {
    if (machine.files.has(runnerFile)) {
      stderr('Cannot configure the runner because it is already configured.\n');
      return 1;
    }
    const option = (name: string) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
    const abort = new AbortController();
    const timer = clock.after(configureTimeoutMs, () => abort.abort(new Error('no answer from the platform')));
    try {
      const response = await asFetch(http)(`${codeHost.apiUrl}/actions/runner-registration`, {
        method: 'POST',
        headers: { authorization: `RemoteAuth ${env.ACTIONS_RUNNER_INPUT_TOKEN}`, 'user-agent': 'actions-runner' },
        body: JSON.stringify({
          name: option('--name'),
          labels: option('--labels')?.split(','),
          no_default_labels: argv.includes('--no-default-labels'),
          replace: argv.includes('--replace'),
          runner_group: option('--runnergroup'),
        }),
        signal: abort.signal,
      });
      if (!response.ok) {
        stderr(`Http response code: ${response.statusText || response.status} from 'POST runner-registration'\n`);
        return 1;
      }
      machine.files.set(runnerFile, await response.text());
      stdout('√ Runner successfully added\n√ Settings Saved.\n');
      return 0;
    } catch (error) {
      stderr(`${(error as Error).message}\n`);
      return 1;
    } finally {
      timer.cancel();
    }
  };
}

import { TerminalError } from '@drover/core';

export type AgentCommand =
  | { readonly kind: 'run' }
  | { readonly kind: 'status' }
  | { readonly kind: 'check' }
  | { readonly kind: 'drain'; readonly removed: boolean; readonly platformUnreachable: boolean }
  | { readonly kind: 'job-started' }
  | { readonly kind: 'job-completed' }
  | { readonly kind: 'abandon'; readonly reason: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

export const usage = `runner-agent: the program on a runner instance

  runner-agent run                      register, serve, drain; the systemd unit runner-agent starts this
  runner-agent status                   what the agent sees, as JSON
  runner-agent check                    whether a job could begin here; exit code 1 if not, with the reason
  runner-agent drain                    take no further job, finish the running one, then leave
  runner-agent drain --removed          the same; the platform has forgotten this runner
  runner-agent drain --platform-unreachable
                                        the same; the platform cannot be reached, so do not wait for it
  runner-agent job-started              called by the runner's job hook; always succeeds
  runner-agent job-completed            the same after a job: makes room when the disk is nearly full
  runner-agent abandon --reason TEXT    give this launch up: the group replaces the instance at once
  runner-agent --version | --help`;

export function parseCommandLine(argv: readonly string[]): AgentCommand {
  const [word, ...rest] = argv;
  if (word === '--help' || word === '-h' || word === undefined) return { kind: 'help' };
  if (word === '--version') return { kind: 'version' };
  if (word === 'drain') return drain(rest);
  if (word === 'abandon') return abandon(rest);
  const alone = ['run', 'status', 'check', 'job-started', 'job-completed'] as const;
  const kind = alone.find((each) => each === word);
  if (kind !== undefined && rest.length === 0) return { kind };
  throw new TerminalError(`unknown command ${JSON.stringify(argv.join(' '))}`, {
    remedy: 'runner-agent --help lists the commands',
  });
}

function drain(options: readonly string[]): AgentCommand {
  const unknown = options.find((option) => option !== '--removed' && option !== '--platform-unreachable');
  if (unknown !== undefined)
    throw new TerminalError(`drain knows no option ${unknown}`, { remedy: 'use --removed or --platform-unreachable' });
  return {
    kind: 'drain',
    removed: options.includes('--removed'),
    platformUnreachable: options.includes('--platform-unreachable'),
  };
}

function abandon([option, reason = '', ...rest]: readonly string[]): AgentCommand {
  if (option !== '--reason' || reason === '' || rest.length > 0)
    throw new TerminalError('abandon needs a reason and nothing else', {
      remedy: "runner-agent abandon --reason 'the disk is full'",
    });
  return { kind: 'abandon', reason };
}

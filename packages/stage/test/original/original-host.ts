import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OriginalBench, RunningListener } from '@drover/cloud-github/testing';
import { jsonLogger } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { type Kernel, type KernelProcess, runnerHost } from '@drover/runner-agent';
import { contractConfig } from '@drover/runner-agent/testing';
import { type HostReport, type RunnerHost, watchHost } from '@drover/runner-fleet';
import { leavingInstance } from '../../src/fleet/leaving-instance.test-support.ts';

/** The product's host code with GitHub's own runner: processes, lines and firewall are real, the unit and the agent's files are not. */
export interface OriginalHost {
  readonly host: RunnerHost;
  /** The agent's own files. */
  readonly files: Map<string, string>;
  close(): void;
}

/** Why hosts cannot fall silent here; empty when they can. */
export function reasonWithoutFirewall(): string {
  return spawnSync('nft', ['list', 'tables']).status === 0 ? '' : 'skipped: needs nftables and the right to load rules';
}

export function originalHost(bench: OriginalBench, listener: RunningListener, uid: number): OriginalHost {
  const { clock } = bench.engine;
  const files = new Map<string, string>();
  // Listeners side by side share the kernel's tables.
  const ownTable = (script: string) => script.replaceAll('drover_drain', `drover_drain_${uid}`);
  const nft = (script: string) => execFileSync('nft', ['--file', '-'], { input: ownTable(script) });
  const missing = (): never => {
    throw new Error('no part of this story');
  };
  const lines = () =>
    bench.said.map((line) => ({ ...line, unit: runnerService, tag: undefined, root: false, main: true }));
  const kernel: Kernel = {
    unit() {
      const code = listener.exitCode();
      const lastEnd = code === undefined ? undefined : ({ by: 'exit', status: code } as const);
      return { activeState: code === undefined ? 'active' : 'inactive', result: 'success', lastEnd };
    },
    startUnit: missing,
    async stopUnit() {
      listener.signal('SIGINT');
      while (listener.exitCode() === undefined) await clock.sleep(1_000);
    },
    processesOf: (program) => processesOf(join(bench.root, 'bin', program), String(uid)),
    processesOfUser: () => [],
    kill() {},
    readFile: (path) => files.get(path),
    readAppended: missing,
    journal: async () => ({ lines: [], cursor: undefined, full: false }),
    mainJournal: async () => lines(),
    writeFile: (path, text) => void files.set(path, text),
    remove: (path) => void files.delete(path),
    list: () => [],
    freeBytes: () => Number.POSITIVE_INFINITY,
    loadFirewall: async (script) => void nft(script),
    run: missing,
    async pause(mostMs, changed) {
      for (const until = clock.now() + mostMs; clock.now() < until && !changed(); ) await clock.sleep(1_000);
    },
  };
  const place = { runnerDirectory: bench.root, runnerUser: String(uid) };
  return {
    host: runnerHost(kernel, { ...contractConfig(place), cleanBetweenJobs: false }),
    files,
    close: () => nft('table inet drover_drain\ndelete table inet drover_drain\n'),
  };
}

function processesOf(program: string, user: string): KernelProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        if (argv[0] !== program) return [];
        return [{ pid: Number(pid), parentPid: Number(parent), user, argv, unit: runnerService }];
      } catch {
        return [];
      }
    });
}

/** The agent of an instance, until its runner is stopped for good. */
export async function watchOriginal(
  { engine }: OriginalBench,
  host: RunnerHost,
  targetState: () => string,
  signal: AbortSignal,
  reported: (report: HostReport) => void = () => {},
): Promise<void> {
  await watchHost({
    clock: engine.clock,
    log: jsonLogger({ clock: engine.clock, write: () => {} }),
    host,
    signal,
    ...leavingInstance,
    metadata: { ...leavingInstance.metadata, targetLifecycleState: async () => targetState() },
    place: { ...leavingInstance.place, report: async (report) => reported(report) },
  });
}

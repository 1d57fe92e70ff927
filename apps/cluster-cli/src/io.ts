import type { ClusterAws } from '@drover/adapters/aws';
import type { HttpExchange } from '@drover/adapters/elasticsearch/client';
import type { Clock, Random } from '@drover/core';
import type { NodeCertificates } from '@drover/search-cluster';
import type { HostLock, SearchProcess } from '@drover/search-cluster/ports';

/** Everything outside the command that it uses. A simulation provides its own: no sockets, its own clock. */
export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: Source;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  /** HTTP to Elasticsearch and to the instance metadata service. */
  readonly exchange: HttpExchange;
  /** @default the clients of the AWS SDK, loaded when they are needed */
  readonly aws?: ClusterAws;
  readonly lock: HostLock;
  /** The Elasticsearch process of this host. @default there is none that could be stopped or started */
  readonly search?: SearchProcess;
  /** `elasticsearch-users` of this host with these words and this input; fails as the tool does. @default there is no node */
  readonly usersTool?: (words: readonly string[], input: string) => Promise<void>;
  /** The certificates that the process at a TLS port of this host sends in a handshake. @default there is none */
  readonly handshake?: (host: string, port: number) => Promise<NodeCertificates>;
  /** Runs a program of ours on this host; returns its exit code and what it said on stderr. @default there are none */
  readonly program?: (
    path: string,
    words: readonly string[],
  ) => Promise<{ readonly exitCode: number; readonly stderr: string }>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Sink {
  /** Resolves when more may be written. */
  write(chunk: string | Uint8Array): void | Promise<void>;
  readonly isTTY: boolean;
  readonly columns?: number | undefined;
}

export interface Source {
  readonly isTTY: boolean;
  /** Everything, until its end. */
  read(): Promise<string>;
  /** One line, after a question on stderr. */
  ask(question: string): Promise<string>;
}

export interface Files {
  /** Undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Names in a folder; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Replaces the file as a whole: a reader sees the old text or the new one. */
  write(path: string, text: string): Promise<void>;
}

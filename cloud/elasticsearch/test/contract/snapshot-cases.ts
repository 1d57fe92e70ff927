import type { ContractTarget } from './contract-target.ts';

export const needs = ['a directory for file repositories (path.repo)'] as const;

/** Members that a real repository counts differently. */
export const view = {
  varying: [
    'version_id',
    'version',
    'uuid',
    'repository_uuid',
    'file_count',
    'size_in_bytes',
    'index_count',
    'indices_count',
    'duration',
    'generation',
  ],
};

let registered = 0;

/** A repository that is removed after the case with its snapshots; returns its settings. */
export async function repository(
  target: ContractTarget,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  registered += 1;
  const settings = { location: `${target.repositoryPath}/${name}-${process.pid}-${registered}`, ...more };
  target.cleanup(async () => {
    await target.delete(`/_snapshot/${name}/*`);
    await target.delete(`/_snapshot/${name}`);
  });
  await target.must('PUT', `/_snapshot/${name}`, { body: { type: 'fs', settings } });
  return settings;
}

export async function documents(target: ContractTarget, index: string, count = 3): Promise<void> {
  await target.index(index, { number_of_shards: 2, number_of_replicas: 1 });
  for (let id = 1; id <= count; id++)
    await target.must('PUT', `/${index}/_doc/${id}`, { body: { title: `book ${id}` } });
  await target.must('POST', `/${index}/_refresh`);
}

export const take = (target: ContractTarget, path: string, body: unknown = { include_global_state: false }) =>
  target.must('PUT', `/_snapshot/${path}?wait_for_completion=true`, { body });

import type { ClusterState, ShardState } from '@drover/observation/api';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { addressOf } from '../route.ts';

const letters = (shards: readonly ShardState[]) =>
  shards.map(({ number, primary, state }) => (
    <span
      class={`copy ${state === 'STARTED' ? (primary ? 'primary' : 'replica') : 'moving'}`}
      title={`${primary ? 'primary' : 'replica'}, ${state}`}
      key={`${number} ${primary}`}
    >
      {number}
    </span>
  ));

/** Indices by nodes, with a row for copies that no node has. */
export const ShardGrid = onlyWhenChanged(({ cluster }: { readonly cluster: ClusterState }) => {
  const nodes = cluster.nodes.filter(({ role }) => role === 'data');
  const indices = [
    ...new Set([...nodes.flatMap(({ shards }) => shards), ...cluster.unassigned].map(({ index }) => index)),
  ].sort();
  const of = (shards: readonly ShardState[], index: string) => shards.filter((shard) => shard.index === index);
  return (
    <section class="view" aria-labelledby="shards-title">
      <h2 id="shards-title">Shards of {cluster.name}</h2>
      <p class="legend">
        <span class="copy primary">0</span> primary <span class="copy replica">0</span> replica{' '}
        <span class="copy moving">0</span> initializing or relocating
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Shards by node and index">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Node</th>
              {indices.map((index) => (
                <th scope="col" key={index}>
                  {index}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ instanceId, name, shards }) => (
              <tr key={instanceId}>
                <th scope="row">
                  <a href={addressOf('shards', `node/${instanceId}`)}>{name}</a>
                </th>
                {indices.map((index) => (
                  <td key={index}>{letters(of(shards, index))}</td>
                ))}
              </tr>
            ))}
            <tr class={cluster.unassigned.length > 0 ? 'trouble' : undefined}>
              <th scope="row">unassigned</th>
              {indices.map((index) => (
                <td key={index}>{letters(of(cluster.unassigned, index))}</td>
              ))}
            </tr>
          </tbody>
        </table>
      </section>
    </section>
  );
});

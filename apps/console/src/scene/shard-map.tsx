import type { ShardState } from '@drover/observation/api';
import { onlyWhenChanged } from '../only-when-changed.tsx';

/** Without its line, half of which is on either side. */
const side = 9;
const step = side + 3;
/** As many squares as the narrowest tile has room for. */
const columns = 14;

type Shape = 'replica' | 'primary' | 'moving';

/** The shards of a node, a square each. They are drawn as three shapes: an element for each of thousands would be most of what an update costs. */
export const ShardMap = onlyWhenChanged(Squares);

function Squares({ shards }: { readonly shards: readonly ShardState[] }) {
  const shapes: Record<Shape, string> = { replica: '', primary: '', moving: '' };
  shards.forEach((shard, place) => {
    shapes[shapeOf(shard)] +=
      `M${(place % columns) * step} ${Math.floor(place / columns) * step}h${side}v${side}h-${side}z`;
  });
  const width = columns * step;
  const height = Math.ceil(shards.length / columns) * step;
  return (
    <span
      class="shards"
      onPointerMove={({ currentTarget, clientX, clientY }) => {
        const { left, top } = currentTarget.getBoundingClientRect();
        currentTarget.title = wordsFor(shards[placeAt(clientX - left, clientY - top)]);
      }}
    >
      <svg
        width={width}
        height={height}
        viewBox={`-0.5 -0.5 ${width} ${height}`}
        role="img"
        aria-label={`${shards.length} shards`}
      >
        <path class="shard replica" d={shapes.replica} />
        <path class="shard primary" d={shapes.primary} />
        <path class="shard moving" d={shapes.moving} />
      </svg>
    </span>
  );
}

function shapeOf({ primary, state }: ShardState): Shape {
  if (state !== 'STARTED') return 'moving';
  return primary ? 'primary' : 'replica';
}

const placeAt = (x: number, y: number): number => Math.floor(y / step) * columns + Math.floor(x / step);

const wordsFor = (shard: ShardState | undefined): string =>
  shard === undefined ? '' : `${shard.index}[${shard.number}] ${shard.state}`;

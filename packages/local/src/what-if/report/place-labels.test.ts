import { describe, expect, it } from 'vitest';
import { type Box, type NamedPoint, overlap, placeLabels } from './place-labels.ts';

const within: Box = { left: 56, right: 964, top: 30, bottom: 270 };
const around = ({ x, y }: NamedPoint): Box => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 });

describe('names of points in a picture', () => {
  it('a name that is alone is beside its point, and on the other side where the picture ends', () => {
    const points = [
      { name: 'jobs mode, max 8', x: 300, y: 100 },
      { name: 'idle mode, max 8', x: 950, y: 100 },
    ];
    expect(placeLabels(points, within, []).map(({ side, baseline }) => [side, baseline])).toEqual([
      ['right', 104],
      ['left', 104],
    ]);
  });

  it('ten names of points that are close together cover neither each other nor a point nor what is taken, inside the picture', () => {
    const points = Array.from({ length: 10 }, (_, index) => ({
      name: `idle mode, idle target ${index}, max 16`,
      x: 640 + (index % 3) * 12,
      y: 100 + (index % 4) * 5,
    }));
    const taken = [{ left: 700, right: 964, top: 90, bottom: 105 }];

    const labels = placeLabels(points, within, taken);

    expect(labels.length).toBe(10);
    const boxes = labels.map(({ box }) => box);
    const parts = [...boxes, ...taken];
    const covered = boxes.flatMap((box, index) => [
      ...parts.slice(index + 1).filter((other) => overlap(box, other)),
      ...points.map(around).filter((other) => overlap(box, other)),
    ]);
    expect(covered).toEqual([]);
    expect(
      boxes.filter(({ left, right, top, bottom }) => left < 56 || right > 964 || top < 30 || bottom > 270),
    ).toEqual([]);
  });

  it('a name for which there is no room is left out', () => {
    const points = Array.from({ length: 3 }, (_, index) => ({ name: 'idle mode', x: 100, y: 40 + index }));
    expect(placeLabels(points, { left: 56, right: 200, top: 30, bottom: 70 }, []).length).toBe(2);
  });
});

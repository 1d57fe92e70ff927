/** A part of a picture, y downwards. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface NamedPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedLabel {
  readonly point: NamedPoint;
  readonly box: Box;
  /** On which side of its point it is. */
  readonly side: 'left' | 'right';
  /** The line on which it is written. */
  readonly baseline: number;
}

/** Of 12 px, wide enough for common fonts. */
export const textWidth = (text: string): number => text.length * 7;

const height = 15;
const baselineUp = 4;
const fromPoint = 10;
const pointSize = 7;
const step = 3;

/**
 * Names beside their points, as near as can be: no name covers another, a point or what is taken already, and none leaves the picture.
 * A name for which there is no room is left out.
 */
export function placeLabels(named: readonly NamedPoint[], within: Box, taken: readonly Box[]): PlacedLabel[] {
  const occupied = [...taken, ...named.map(aroundPoint)];
  return named.flatMap((point) => {
    const label = candidatesOf(point, within).find(({ box }) => !occupied.some((other) => overlap(box, other)));
    if (label === undefined) return [];
    occupied.push(label.box);
    return [label];
  });
}

/** Nearest first; to the right before to the left. */
function candidatesOf(point: NamedPoint, within: Box): PlacedLabel[] {
  const steps = Math.ceil((within.bottom - within.top) / step);
  const moves = Array.from({ length: steps }, (_, index) => index * step).flatMap((by) => (by === 0 ? [0] : [by, -by]));
  return moves
    .flatMap((by) => (['right', 'left'] as const).map((side) => beside(point, side, point.y + by)))
    .filter(({ box }) => isInside(box, within));
}

function beside(point: NamedPoint, side: PlacedLabel['side'], middle: number): PlacedLabel {
  const width = textWidth(point.name);
  const left = side === 'right' ? point.x + fromPoint : point.x - fromPoint - width;
  const box = { left, right: left + width, top: middle - height / 2, bottom: middle + height / 2 };
  return { point, box, side, baseline: middle + baselineUp };
}

export const aroundPoint = ({ x, y }: Pick<NamedPoint, 'x' | 'y'>): Box => ({
  left: x - pointSize,
  right: x + pointSize,
  top: y - pointSize,
  bottom: y + pointSize,
});

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const isInside = (box: Box, within: Box): boolean =>
  box.left >= within.left && box.right <= within.right && box.top >= within.top && box.bottom <= within.bottom;

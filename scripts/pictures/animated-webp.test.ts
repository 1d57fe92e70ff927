import { describe, expect, it } from 'vitest';
import { animatedWebp } from './animated-webp.ts';

/** A WebP file with these bytes as its compressed picture. */
function still(...picture: number[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(picture.length);
  const body = Buffer.concat([Buffer.from('WEBPVP8 '), length, Buffer.from(picture), Buffer.alloc(picture.length % 2)]);
  const whole = Buffer.alloc(4);
  whole.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), whole, body]);
}

const size = { width: 320, height: 200 };

describe('animatedWebp', () => {
  it('animatedWebp keeps each picture with its duration and merges equal ones that follow each other', () => {
    const file = animatedWebp(
      [
        { file: still(1, 2, 3), ms: 100 },
        { file: still(1, 2, 3), ms: 150 },
        { file: still(4), ms: 200 },
      ],
      size,
    );
    expect(file.toString('latin1', 0, 4)).toBe('RIFF');
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    const frames = [...file.toString('latin1').matchAll(/ANMF/g)].map(({ index }) => index);
    expect(frames).toHaveLength(2);
    const [first = 0, second = 0] = frames;
    expect(file.readUIntLE(first + 8 + 6, 3)).toBe(319);
    expect(file.readUIntLE(first + 8 + 12, 3)).toBe(250);
    expect(file.readUIntLE(second + 8 + 12, 3)).toBe(200);
  });

  it('animatedWebp refuses what is not a WebP picture', () => {
    expect(() => animatedWebp([{ file: Buffer.from('no picture at all'), ms: 1 }], size)).toThrow('not a WebP picture');
  });
});

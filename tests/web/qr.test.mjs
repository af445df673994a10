// A QR code is decoded by code that is independent of the encoder, from the tables
// of the standard. No browser is needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qr } from '../../web/qr.js';

// The 8 format words of level M, by mask, as printed in the standard.
const FORMATS = ['101010000010010', '101000100100101', '101111001111100',
  '101101101001011', '100010111111001', '100000011001110', '100111110010111',
  '100101010100000'];
const VERSIONS = { 7: '000111110010010100', 8: '001000010110111100',
  9: '001001101010011001', 10: '001010010011010011', 11: '001011101111110110',
  12: '001100011101100010', 13: '001101100001000111' };
// version: [blocks of data bytes...], then error correction bytes of each
const SHAPES = {
  1: [[16], 10], 2: [[28], 16], 3: [[44], 26], 4: [[32, 32], 18], 5: [[43, 43], 24],
  6: [[27, 27, 27, 27], 16], 7: [[31, 31, 31, 31], 18], 8: [[38, 38, 39, 39], 22],
  9: [[36, 36, 36, 37, 37], 22], 10: [[43, 43, 43, 43, 44], 26],
  11: [[50, 51, 51, 51, 51], 30], 12: [[36, 36, 36, 36, 36, 36, 37, 37], 22],
  13: [[37, 37, 37, 37, 37, 37, 37, 37, 38], 22],
};
const AROUND = { 1: [], 2: [18], 3: [22], 4: [26], 5: [30], 6: [34], 7: [22, 38],
  8: [24, 42], 9: [26, 46], 10: [28, 50], 11: [30, 54], 12: [32, 58], 13: [34, 62] };

const bit = (cells, y, x) => (cells[y][x] ? '1' : '0');

function formatOf(cells) {
  const size = cells.length;
  const first = [0, 1, 2, 3, 4, 5, 7].map((x) => bit(cells, 8, x)).join('')
    + bit(cells, 8, 8)
    + [7, 5, 4, 3, 2, 1, 0].map((y) => bit(cells, y, 8)).join('');
  const second = Array.from({ length: 7 }, (_, i) => bit(cells, size - 1 - i, 8)).join('')
    + Array.from({ length: 8 }, (_, i) => bit(cells, 8, size - 8 + i)).join('');
  assert.equal(first, second, 'both copies of the format');
  assert.equal(cells[size - 8][8], true, 'the dark module');
  return FORMATS.indexOf(first);
}

function versionOf(cells) {
  const size = cells.length;
  const version = (size - 17) / 4;
  if (version < 7) return version;
  let below = '';
  let beside = '';
  for (let x = 5; x >= 0; x--) {
    for (let k = 2; k >= 0; k--) {
      below += bit(cells, size - 11 + k, x);
      beside += bit(cells, x, size - 11 + k);
    }
  }
  assert.equal(below, VERSIONS[version]);
  assert.equal(beside, VERSIONS[version]);
  return version;
}

// The function patterns, as the standard describes each.
function isFunction(version, size, y, x) {
  const inCorner = (y < 9 && x < 9) || (y < 9 && x >= size - 8) || (y >= size - 8 && x < 9);
  if (inCorner || y === 6 || x === 6) return true;
  if (version >= 7 && ((y < 6 && x >= size - 11) || (x < 6 && y >= size - 11))) return true;
  const all = [6, ...AROUND[version]];
  const last = all.at(-1);
  return all.some((cy) => all.some((cx) => {
    if ((cy === 6 && cx === 6) || (cy === 6 && cx === last) || (cy === last && cx === 6)) return false;
    return AROUND[version].length > 0 && Math.abs(y - cy) <= 2 && Math.abs(x - cx) <= 2;
  }));
}

function masked(mask, y, x) {
  const product = y * x;
  return [(y + x) % 2 === 0, y % 2 === 0, x % 3 === 0, (y + x) % 3 === 0,
    (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0, product % 2 + product % 3 === 0,
    (product % 2 + product % 3) % 2 === 0, ((y + x) % 2 + product % 3) % 2 === 0][mask];
}

function streamOf(cells, version, mask) {
  const size = cells.length;
  let bits = '';
  let upward = true;
  for (let column = size - 1; column > 0; column -= 2) {
    if (column === 6) column--;
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step;
      for (let x = column; x > column - 2; x--) {
        if (!isFunction(version, size, y, x)) {
          bits += cells[y][x] !== masked(mask, y, x) ? '1' : '0';
        }
      }
    }
    upward = !upward;
  }
  return bits.match(/.{8}/g).map((byte) => parseInt(byte, 2));
}

// By long multiplication, not by tables.
function product(a, b) {
  let sum = 0;
  for (let i = 7; i >= 0; i--) {
    sum <<= 1;
    if (sum & 256) sum ^= 0x11d;
    if (b >> i & 1) sum ^= a;
  }
  return sum;
}

function checkErrors(block, errors) {
  let root = 1;
  for (let i = 0; i < errors; i++) {
    const syndrome = block.reduce((sum, byte) => product(sum, root) ^ byte, 0);
    assert.equal(syndrome, 0, `syndrome ${i}`);
    root = product(root, 2);
  }
}

function decode(cells) {
  const version = versionOf(cells);
  const mask = formatOf(cells);
  assert.ok(mask >= 0, 'a format of level M');
  const stream = streamOf(cells, version, mask);
  const [sizes, errors] = SHAPES[version];
  const blocks = sizes.map(() => []);
  let at = 0;
  for (let i = 0; i < Math.max(...sizes); i++) {
    sizes.forEach((size, k) => { if (i < size) blocks[k].push(stream[at++]); });
  }
  const data = blocks.flat();
  for (let i = 0; i < errors; i++) blocks.forEach((block) => block.push(stream[at++]));
  blocks.forEach((block) => checkErrors(block, errors));
  const bits = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  assert.equal(bits.slice(0, 4), '0100', 'byte mode');
  const wide = version < 10 ? 8 : 16;
  const n = parseInt(bits.slice(4, 4 + wide), 2);
  const bytes = bits.slice(4 + wide, 4 + wide + 8 * n).match(/.{8}/g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes.map((one) => parseInt(one, 2))));
}

function finders(cells) {
  const want = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'];
  const size = cells.length;
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) {
    assert.deepEqual(want.map((_, y) => want.map((__, x) => bit(cells, top + y, left + x))
      .join('')), want);
  }
}

test('what is encoded is read back, in every version', () => {
  const seen = new Set();
  for (let n = 1; n <= 331; n += 11) {
    const text = Array.from({ length: n }, (_, i) => String.fromCharCode(33 + (i * 7 + n) % 90))
      .join('');
    const cells = qr(text);
    seen.add((cells.length - 17) / 4);
    finders(cells);
    assert.equal(decode(cells), text);
  }
  assert.deepEqual([...seen], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});

test('bytes beyond ASCII, and what does not fit', () => {
  assert.equal(decode(qr('Grüße · 日本')), 'Grüße · 日本');
  assert.equal(qr('x'.repeat(331)).length, 69);
  assert.equal(qr('x'.repeat(332)), undefined);
});

// qr.js - a QR code (ISO/IEC 18004) of a text: byte mode, level M, versions 1
// to 13. Text in, rows of dark and light out; does not touch the page.

// For each version: error correction codewords per block, then [blocks, data bytes].
const BLOCKS = [
  [10, [1, 16]], [16, [1, 28]], [26, [1, 44]], [18, [2, 32]], [24, [2, 43]],
  [16, [4, 27]], [18, [4, 31]], [22, [2, 38], [2, 39]], [22, [3, 36], [2, 37]],
  [26, [4, 43], [1, 44]], [30, [1, 50], [4, 51]], [22, [6, 36], [2, 37]],
  [22, [8, 37], [1, 38]],
];
const CENTRES = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42],
  [6, 26, 46], [6, 28, 50], [6, 30, 54], [6, 32, 58], [6, 34, 62],
];
const MASKS = [
  (y, x) => (y + x) % 2, (y) => y % 2, (y, x) => x % 3, (y, x) => (y + x) % 3,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
  (y, x) => (y * x) % 2 + (y * x) % 3,
  (y, x) => ((y * x) % 2 + (y * x) % 3) % 2,
  (y, x) => ((y + x) % 2 + (y * x) % 3) % 2,
];

// ---- error correction: Reed-Solomon over GF(256) with 0x11d

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let i = 0, value = 1; i < 255; i++) {
  EXP[i] = EXP[i + 255] = value;
  LOG[value] = i;
  value = value << 1 ^ (value & 0x80 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? EXP[LOG[a] + LOG[b]] : 0);

function generator(n) {
  let poly = [1];
  for (let i = 0; i < n; i++) {
    poly = [...poly, 0].map((factor, k) => factor ^ times(poly[k - 1] ?? 0, EXP[i]));
  }
  return poly.slice(1);
}

function remainder(data, factors) {
  const rest = new Array(factors.length).fill(0);
  for (const byte of data) {
    const first = byte ^ rest.shift();
    rest.push(0);
    factors.forEach((factor, i) => { rest[i] ^= times(factor, first); });
  }
  return rest;
}

// ---- the codewords

const room = (version) => BLOCKS[version - 1].slice(1)
  .reduce((sum, [n, size]) => sum + n * size, 0);
const countBits = (version) => (version < 10 ? 8 : 16);
const fits = (version, n) => 4 + countBits(version) + 8 * n <= 8 * room(version);

function dataBytes(bytes, version) {
  const bits = [];
  const put = (value, n) => {
    for (let i = n - 1; i >= 0; i--) bits.push(value >> i & 1);
  };
  put(4, 4);
  put(bytes.length, countBits(version));
  bytes.forEach((byte) => put(byte, 8));
  const all = 8 * room(version);
  put(0, Math.min(4, all - bits.length));
  put(0, (8 - bits.length % 8) % 8);
  for (let pad = 0xec; bits.length < all; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: all / 8 },
    (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((byte, bit) => byte << 1 | bit, 0));
}

// Blocks interleaved: the first byte of each, then the second of each.
function interleave(blocks) {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, i) => blocks.map((block) => block[i]))
    .flat().filter((byte) => byte !== undefined);
}

function codewords(bytes, version) {
  const [errors, ...groups] = BLOCKS[version - 1];
  const data = dataBytes(bytes, version);
  const factors = generator(errors);
  const blocks = groups.flatMap(([n, size]) => Array.from({ length: n },
    () => data.splice(0, size)));
  return [...interleave(blocks),
    ...interleave(blocks.map((block) => remainder(block, factors)))];
}

// ---- the modules: undefined where data goes

function square(version) {
  const size = 17 + 4 * version;
  const cells = Array.from({ length: size }, () => new Array(size));
  const paint = (top, left, from, to, dark) => {
    for (let y = from; y <= to; y++) {
      for (let x = from; x <= to; x++) {
        if (cells[top + y]?.length > left + x && left + x >= 0) {
          cells[top + y][left + x] = dark(Math.max(Math.abs(y), Math.abs(x)));
        }
      }
    }
  };
  for (const [y, x] of [[3, 3], [3, size - 4], [size - 4, 3]]) {
    paint(y, x, -4, 4, (ring) => ring !== 2 && ring !== 4);
  }
  const centres = CENTRES[version - 1];
  for (const y of centres) {
    for (const x of centres) {
      if (cells[y][x] === undefined) paint(y, x, -2, 2, (ring) => ring !== 1);
    }
  }
  for (let i = 8; i < size - 8; i++) cells[6][i] = cells[i][6] = i % 2 === 0;
  return cells;
}

// @value followed by the remainder of its division by @by, which has @bits bits.
function withRest(value, by, bits) {
  let rest = value << bits;
  for (let i = 31 - Math.clz32(rest); i >= bits; i = 31 - Math.clz32(rest)) {
    rest ^= by << i - bits;
  }
  return value << bits | rest;
}

function putFormat(cells, mask) {
  const size = cells.length;
  const word = withRest(mask, 0x537, 10) ^ 0x5412; // level M is 0
  for (let i = 0; i < 15; i++) {
    const dark = (word >> i & 1) === 1;
    const down = i < 6 ? i : i < 8 ? i + 1 : size - 15 + i;
    const left = i < 8 ? size - 1 - i : i < 9 ? 7 : 14 - i;
    cells[down][8] = dark;
    cells[8][left] = dark;
  }
  cells[size - 8][8] = true;
}

function putVersion(cells, version) {
  if (version < 7) return;
  const word = withRest(version, 0x1f25, 12);
  for (let i = 0; i < 18; i++) {
    const dark = (word >> i & 1) === 1;
    const far = cells.length - 11 + i % 3;
    cells[Math.floor(i / 3)][far] = dark;
    cells[far][Math.floor(i / 3)] = dark;
  }
}

// From the lower right, in columns of two modules, alternately up and down.
function putData(cells, bytes, mask) {
  const size = cells.length;
  let at = 0;
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++) {
      const y = up ? size - 1 - i : i;
      for (const x of [right, right - 1]) {
        if (cells[y][x] !== undefined) continue;
        const bit = bytes[at >> 3] >> 7 - (at & 7) & 1;
        cells[y][x] = (bit === 1) !== (MASKS[mask](y, x) === 0);
        at++;
      }
    }
  }
}

// ---- the mask with the lowest penalty

function lineCost(line) {
  const text = line.map((dark) => (dark ? '1' : '0')).join('');
  const runs = text.match(/1+|0+/g).filter((run) => run.length >= 5)
    .reduce((sum, run) => sum + run.length - 2, 0);
  const finders = text.match(/(?=10111010000|00001011101)/g)?.length ?? 0;
  return runs + 40 * finders;
}

function cost(cells) {
  const size = cells.length;
  let sum = 0;
  let dark = 0;
  for (let i = 0; i < size; i++) {
    sum += lineCost(cells[i]) + lineCost(cells.map((row) => row[i]));
    for (let k = 0; k < size; k++) {
      dark += cells[i][k];
      if (i && k && cells[i][k] === cells[i - 1][k] && cells[i][k] === cells[i][k - 1]
        && cells[i][k] === cells[i - 1][k - 1]) sum += 3;
    }
  }
  return sum + 10 * Math.floor(Math.abs(20 * dark / size / size - 10));
}

function draw(bytes, version, mask) {
  const cells = square(version);
  putFormat(cells, mask);
  putVersion(cells, version);
  putData(cells, codewords(bytes, version), mask);
  return cells;
}

// Rows of true (dark) and false; undefined when the text is too long.
export function qr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = BLOCKS.findIndex((_, i) => fits(i + 1, bytes.length)) + 1;
  if (!version) return undefined;
  return MASKS.map((_, mask) => draw(bytes, version, mask))
    .map((cells) => [cost(cells), cells]).sort((a, b) => a[0] - b[0])[0][1];
}

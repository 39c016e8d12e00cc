// QR codes of links whose key the server does not know (ISO/IEC 18004): byte mode, level L, versions 1 to 20.
"use strict";
const qr = (() => {
// By version: error correction codewords of a block, and the number of blocks (table 9).
const CODEWORDS = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const LEVEL_L = 1, FINDER_LIKE = /(?=10111010000|00001011101)/g;
const MASKS = [
  (x, y) => (x + y) % 2, (_, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];
const range = (length, from = 0) => Array.from({ length }, (_, index) => index + from);
const bit = (value, place) => (value >> place) & 1;

// The codewords that a version holds, error correction included, and the centres of its alignment patterns.
const centres = (version) => {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2, last = version * 4 + 10;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...range(count - 1).map((index) => last - step * (count - 2 - index))];
};
const capacity = (version) => {
  const count = centres(version).length, size = version * 4 + 17;
  const aligned = count ? (count * count - 3) * 25 - (count - 2) * 10 : 0; // some cross the timing patterns
  return (size * size - 3 * 64 - 2 * 15 - 1 - 2 * (size - 16) - aligned - (version > 6 ? 36 : 0)) >> 3;
};
const dataCodewords = (version) => capacity(version) - CODEWORDS[version - 1] * BLOCKS[version - 1];
const headerBits = (version) => 4 + (version < 10 ? 8 : 16);

// Reed-Solomon codes over GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1.
const multiply = (a, b) => range(8).reduce((product, index) => {
  const doubled = (product << 1) ^ (product >> 7 ? 0x11d : 0);
  return bit(b, 7 - index) ? doubled ^ a : doubled;
}, 0);
const remainder = (data, generator) => {
  const rest = data.concat(generator.map(() => 0));
  for (const index of data.keys()) for (const [place, factor] of generator.entries()) {
    rest[index + 1 + place] ^= multiply(factor, rest[index]);
  }
  return rest.slice(data.length);
};
const generatorOf = (degree) => {
  let polynomial = [1], root = 1;
  for (const _ of range(degree)) {
    polynomial = [...polynomial, 0].map((factor, index) => factor ^ multiply(polynomial[index - 1] ?? 0, root));
    root = multiply(root, 2);
  }
  return polynomial.slice(1);
};

const encoded = (data, version) => {
  const bits = [[4, 4], [data.length, headerBits(version) - 4], ...data.map((byte) => [byte, 8]), [0, 4]]
    .flatMap(([value, length]) => range(length).map((index) => bit(value, length - 1 - index)));
  const words = range(bits.length / 8).map((index) => parseInt(bits.slice(index * 8, index * 8 + 8).join(""), 2));
  return [...words, ...range(dataCodewords(version) - words.length).map((index) => (index % 2 ? 0x11 : 0xec))];
};
// Split the data into blocks, the shorter ones first, and take a codeword of each in turn.
const interleaved = (data, version) => {
  const count = BLOCKS[version - 1], generator = generatorOf(CODEWORDS[version - 1]), shorter = Math.floor(data.length / count);
  let at = 0;
  const blocks = range(count).map((index) => data.slice(at, (at += shorter + (index >= count - (data.length % count)))));
  const inTurn = (lists) => range(Math.max(...lists.map((list) => list.length)))
    .flatMap((index) => lists.flatMap((list) => (index < list.length ? [list[index]] : [])));
  return [...inTurn(blocks), ...inTurn(blocks.map((block) => remainder(block, generator)))];
};
const withCheck = (value, length, generator) => { // a BCH code, for the format and the version
  let rest = value;
  for (const _ of range(length)) rest = (rest << 1) ^ (bit(rest, length - 1) * generator);
  return (value << length) | rest;
};

// Returns the empty symbol: `dark` by row and column, `fixed` for the modules that are no data.
const frame = (version) => {
  const size = version * 4 + 17, dark = range(size).map(() => Array(size).fill(0)), fixed = range(size).map(() => Array(size).fill(0));
  const set = (x, y, isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y][x] = +isDark;
    fixed[y][x] = 1;
  };
  const square = (x, y, radius, light) => {
    for (const dy of range(2 * radius + 1, -radius)) for (const dx of range(2 * radius + 1, -radius)) {
      set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (const index of range(size)) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, [2, 4]);
  const places = centres(version), corners = [[0, 0], [0, places.length - 1], [places.length - 1, 0]];
  for (const [i, x] of places.entries()) for (const [j, y] of places.entries()) {
    if (!corners.some(([a, b]) => a === i && b === j)) square(x, y, 2, [1]);
  }
  const number = withCheck(version, 12, 0x1f25);
  if (version > 6) for (const index of range(18)) {
    const far = size - 11 + (index % 3), near = Math.floor(index / 3);
    set(far, near, bit(number, index));
    set(near, far, bit(number, index));
  }
  return { size, dark, fixed, set };
};
const drawFormat = ({ size, set }, mask) => {
  const format = withCheck((LEVEL_L << 3) | mask, 10, 0x537) ^ 0x5412;
  for (const index of range(15)) {
    const isDark = bit(format, index), near = index + (index > 5);
    if (index < 8) set(8, near, isDark), set(size - 1 - index, 8, isDark);
    else set(index === 8 ? 7 : 14 - index, 8, isDark), set(8, size - 15 + index, isDark);
  }
  set(8, size - 8, 1);
};
// Fill in the codewords, in columns of two modules, upwards and downwards from the right.
const drawData = ({ size, dark, fixed }, codewords) => {
  let index = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (const step of range(size)) for (const x of [right, right - 1]) {
      const y = (right + 1) & 2 ? step : size - 1 - step;
      if (!fixed[y][x]) dark[y][x] = bit(codewords[index >> 3] ?? 0, 7 - (index++ & 7));
    }
  }
};
const masked = (symbol, mask) => {
  const drawn = { ...symbol, dark: symbol.dark.map((row, y) => row.map((one, x) => one ^ (!symbol.fixed[y][x] && !MASKS[mask](x, y)))) };
  drawFormat({ ...drawn, set: (x, y, isDark) => { drawn.dark[y][x] = +isDark; } }, mask);
  return drawn.dark;
};
const penalty = (dark) => {
  const size = dark.length, lines = [...dark, ...dark[0].map((_, x) => dark.map((row) => row[x]))].map((line) => line.join(""));
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
  const likes = lines.reduce((sum, line) => sum + [...line.matchAll(FINDER_LIKE)].length, 0);
  let blocks = 0;
  for (const y of range(size - 1)) for (const x of range(size - 1)) {
    blocks += [dark[y][x + 1], dark[y + 1][x], dark[y + 1][x + 1]].every((one) => one === dark[y][x]);
  }
  const share = dark.flat().reduce((sum, one) => sum + one, 0) / size ** 2;
  return runs + 3 * blocks + 40 * likes + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
};

// Returns the rows of the QR code of a text, with 1 for a dark module; undefined if the text is too long.
return (text) => {
  const data = [...new TextEncoder().encode(text)];
  const version = range(BLOCKS.length, 1).find((one) => headerBits(one) + 8 * data.length + 4 <= 8 * dataCodewords(one));
  if (!version) return undefined;
  const symbol = frame(version);
  drawFormat(symbol, 0); // reserves its place
  drawData(symbol, interleaved(encoded(data, version), version));
  const candidates = range(MASKS.length).map((mask) => masked(symbol, mask)), penalties = candidates.map(penalty);
  return candidates[penalties.indexOf(Math.min(...penalties))];
};
})();

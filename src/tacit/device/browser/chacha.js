// ChaCha20 (RFC 8439): a seed and a tag make a stream of words.

/** The first `count` words: blocks 0, 1, ... under a nonce of zero. */
export function keystream(seed, tag, count) {
  const state = Int32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, // "expand 32-byte k"
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  for (let i = 0; i < 16; i++) {
    state[4 + (i >> 2)] |= seed[i] << (8 * (i & 3)); // little-endian words
    state[8 + (i >> 2)] |= tag[i] << (8 * (i & 3));
  }
  const words = new Uint32Array(16 * Math.ceil(count / 16));
  for (let start = 0; start < count; start += 16, state[12] += 1) block(state, words, start);
  return words;
}

/** The ChaCha20 block function (RFC 8439, section 2.3), into `words` from `start` on. */
function block(state, words, start) {
  const x = state.slice();
  for (let round = 0; round < 10; round++) {
    quarterRound(x, 0, 4, 8, 12);
    quarterRound(x, 1, 5, 9, 13);
    quarterRound(x, 2, 6, 10, 14);
    quarterRound(x, 3, 7, 11, 15);
    quarterRound(x, 0, 5, 10, 15);
    quarterRound(x, 1, 6, 11, 12);
    quarterRound(x, 2, 7, 8, 13);
    quarterRound(x, 3, 4, 9, 14);
  }
  for (let i = 0; i < 16; i++) words[start + i] = x[i] + state[i];
}

function quarterRound(x, a, b, c, d) {
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 7);
}

const rotate = (word, left) => (word << left) | (word >>> (32 - left));

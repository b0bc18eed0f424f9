/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and short-digest.ts
 * gives it its memory. SHA-256 (FIPS 180-4) of a text that fits into one block, for which a call into Node.js costs more
 * than the digest itself.
 */

const WORD: i32 = 4;
const BLOCK_BYTES: i32 = 64;
const SCHEDULE_BYTES: i32 = 256;

/** The block: the text, a byte 0x80, zeros, and the number of bits in the last eight bytes. */
export const block: usize = memory.data(BLOCK_BYTES, WORD);
/** The first three words of its digest. */
export const words: usize = memory.data(3 * WORD, WORD);
const schedule: usize = memory.data(SCHEDULE_BYTES, WORD);

const rounds: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

/** Puts the first three words of the block's digest in place. */
export function digest(): void {
  for (let at = 0; at < BLOCK_BYTES; at += WORD) store<u32>(schedule + at, bswap<u32>(load<u32>(block + at)));
  for (let at = schedule + BLOCK_BYTES; at < schedule + SCHEDULE_BYTES; at += WORD) {
    const early = load<u32>(at - 60);
    const late = load<u32>(at - 8);
    const s0 = rotr<u32>(early, 7) ^ rotr<u32>(early, 18) ^ (early >>> 3);
    const s1 = rotr<u32>(late, 17) ^ rotr<u32>(late, 19) ^ (late >>> 10);
    store<u32>(at, load<u32>(at - 64) + s0 + load<u32>(at - 28) + s1);
  }
  let a: u32 = 0x6a09e667;
  let b: u32 = 0xbb67ae85;
  let c: u32 = 0x3c6ef372;
  let d: u32 = 0xa54ff53a;
  let e: u32 = 0x510e527f;
  let f: u32 = 0x9b05688c;
  let g: u32 = 0x1f83d9ab;
  let h: u32 = 0x5be0cd19;
  for (let at = 0; at < SCHEDULE_BYTES; at += WORD) {
    const s1 = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
    const one = h + s1 + ((e & f) ^ (~e & g)) + load<u32>(rounds + at) + load<u32>(schedule + at);
    const s0 = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
    const other = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + other;
  }
  store<u32>(words, a + 0x6a09e667);
  store<u32>(words + WORD, b + 0xbb67ae85);
  store<u32>(words + 2 * WORD, c + 0x3c6ef372);
}

/** Spreads every input bit over all output bits: the last step of MurmurHash3, Austin Appleby, public domain. */
export function scramble(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

import type { Chance } from './create-chance.ts'

/** Ways to spoil bytes without regard to what they say. */
export const byteSpoilers: readonly ((bytes: Buffer, chance: Chance) => Buffer)[] = [
  (bytes, chance) => {
    const spoilt = Buffer.from(bytes)
    for (let count = 1 + chance.upTo(8); count > 0 && spoilt.length > 0; count -= 1)
      spoilt[chance.upTo(spoilt.length)] = chance.upTo(256)
    return spoilt
  },
  (bytes, chance) => bytes.subarray(0, chance.upTo(bytes.length)),
  (bytes, chance) => {
    const at = chance.upTo(bytes.length)
    const noise = Buffer.from(Array.from({ length: chance.upTo(40) }, () => chance.upTo(256)))
    return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)])
  },
  (bytes, chance) => {
    const from = chance.upTo(bytes.length)
    const piece = bytes.subarray(from, from + chance.upTo(60))
    return Buffer.concat([bytes.subarray(0, from), piece, piece, bytes.subarray(from + piece.length)])
  },
]

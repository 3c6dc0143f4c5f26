import type { Random } from '../../../src/kit/random/random.ts'
import type { Piece } from './delivery.ts'

/** The pieces before an offset and those after it; a piece that spans it is split. */
export function splitPieces(
  pieces: readonly Piece[],
  offset: number,
): readonly [readonly Piece[], readonly Piece[]] {
  let passed = 0
  for (const [index, piece] of pieces.entries()) {
    const within = offset - passed
    if (within <= 0) return [pieces.slice(0, index), pieces.slice(index)]
    passed += piece.bytes.length
    if (within < piece.bytes.length) {
      const head = { waitMs: piece.waitMs, bytes: piece.bytes.subarray(0, within) }
      const tail = { waitMs: 0, bytes: piece.bytes.subarray(within) }
      return [
        [...pieces.slice(0, index), head],
        [tail, ...pieces.slice(index + 1)],
      ]
    }
  }
  return [pieces, []]
}

/** Pieces of `size` bytes, with a wait before each. */
export function dripPieces(pieces: readonly Piece[], size: number, everyMs: number): readonly Piece[] {
  return pieces.flatMap(({ waitMs, bytes }) => {
    const count = Math.ceil(bytes.length / size)
    return Array.from({ length: count }, (_, index) => ({
      waitMs: (index === 0 ? waitMs : 0) + everyMs,
      bytes: bytes.subarray(index * size, (index + 1) * size),
    }))
  })
}

/** All bytes as one piece, after all the waits. */
export function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length === 0) return pieces
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes))
  return [{ waitMs: pieces.reduce((sum, { waitMs }) => sum + waitMs, 0), bytes }]
}

/** Changes `count` bytes from an offset on, each to another value. */
export function corruptPieces(
  pieces: readonly Piece[],
  { offset, count, random }: { readonly offset: number; readonly count: number; readonly random: Random },
): readonly Piece[] {
  const [before, rest] = splitPieces(pieces, offset)
  const [hit, after] = splitPieces(rest, count)
  const corrupted = hit.map(({ waitMs, bytes }) => ({ waitMs, bytes: corruptBytes(bytes, random) }))
  return [...before, ...corrupted, ...after]
}

/** Every byte becomes another. */
export function corruptBytes(bytes: Buffer, random: Random): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ (1 + Math.floor(random.fraction() * 255))))
}

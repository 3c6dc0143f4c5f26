import { expect, it } from 'vitest'
import { BlockReader } from './block-reader.ts'

const PIECE = Buffer.alloc(16, 'a')
const FEW = 4_000
const FACTOR = 8

/** Reads redacted reasoning in this many pieces. Returns its processor time, the least of three readings. */
function readPieces(count: number): number {
  const pieces = new Array<Buffer>(count).fill(PIECE)
  const expected = Buffer.concat(pieces).toString('base64')
  const times = [1, 2, 3].map(() => {
    const reader = new BlockReader()
    const before = process.cpuUsage()
    for (const piece of pieces)
      reader.delta(0, { reasoningContent: { redactedContent: piece.toString('base64') } })
    const [event] = reader.stop(0)
    const time = process.cpuUsage(before).user
    expect(event).toMatchObject({ start: { type: 'redacted-thinking', data: expected } })
    return time
  })
  return Math.min(...times)
}

it('joins redacted reasoning in many pieces once, and not with each piece', () => {
  readPieces(FEW)
  // Joined with each piece, eight times as many pieces cost 64 times as much.
  expect(readPieces(FEW * FACTOR)).toBeLessThan(readPieces(FEW) * FACTOR * 3)
})

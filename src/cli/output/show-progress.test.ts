import { expect, test } from 'vitest'
import { showProgress } from './show-progress.ts'

async function* chunksOf(count: number) {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(1_000_000)
}

/** A clock that goes on by so much with each look. */
const steppingClock = (stepMs: number) => {
  let nowMs = 0
  return {
    monotonicMs: () => {
      nowMs += stepMs
      return nowMs
    },
  }
}

test('a terminal shows the progress of long work a few times a second, and the line is removed at the end', async () => {
  const shown: string[] = []
  const io = { showProgress: (line: string) => shown.push(line) }
  let passed = 0
  const bytes = showProgress(chunksOf(4), {
    io,
    work: 'restore',
    totalBytes: 4_000_000,
    clock: steppingClock(150),
  })
  for await (const chunk of bytes) passed += chunk.length
  expect(passed).toBe(4_000_000)
  expect(shown).toEqual([
    'restore …',
    'restore … 2.0 of 4.0 MB, 50 %, 0 s',
    'restore … 4.0 of 4.0 MB, 100 %, 1 s',
    '',
  ])
})

test('without a terminal, bytes pass and nothing is shown; a failure removes the progress line', async () => {
  let passed = 0
  for await (const chunk of showProgress(chunksOf(2), { io: {}, work: 'backup', clock: steppingClock(1) }))
    passed += chunk.length
  expect(passed).toBe(2_000_000)
  const shown: string[] = []
  async function* failing() {
    yield new Uint8Array(1)
    throw new Error('gone')
  }
  const io = { showProgress: (line: string) => shown.push(line) }
  const read = async () => {
    for await (const _chunk of showProgress(failing(), { io, work: 'export', clock: steppingClock(1) }));
  }
  await expect(read()).rejects.toThrow('gone')
  expect(shown.at(-1)).toBe('')
})

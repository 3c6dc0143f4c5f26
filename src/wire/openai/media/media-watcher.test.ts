import { describe, expect, it } from 'vitest'
import { noUsage } from '../../../canonical/usage.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { createMediaWatcher } from './media-watcher.ts'

const image = { type: 'done', b64_json: 'A'.repeat(600_000), usage: { total_tokens: 7 } }
const event = `event: done\ndata: ${JSON.stringify(image)}\n\n`

function watch(pieces: readonly string[]) {
  const watcher = createMediaWatcher({
    isContent: () => false,
    isEnd: (type) => type === 'done',
    ends: 1,
    readUsage: (usage) => (usage === undefined ? undefined : { ...noUsage, freshInputTokens: 7 }),
    estimate: () => noUsage,
  })
  const parser = createSseParser()
  const frames = pieces.flatMap((piece) => parser.push(Buffer.from(piece)))
  return { inspections: frames.map((frame) => watcher.inspect(frame)), watcher }
}

describe('the watcher of images and audio', () => {
  it.each([
    ['in one piece', [event]],
    ['in two halves', [event.slice(0, 300_000), event.slice(300_000)]],
    ['before the first brace', [event.slice(0, 12), event.slice(12, 18), event.slice(18)]],
    ['behind the last brace', [event.slice(0, -2), event.slice(-2, -1), event.slice(-1)]],
    ['within the usage', [event.slice(0, -20), event.slice(-20, -4), event.slice(-4)]],
  ])('reads a large event in pieces: %s', (_where, pieces) => {
    const { inspections, watcher } = watch(pieces)
    expect(inspections).toEqual([{ hasContent: true }])
    expect(watcher.isTerminated).toBe(true)
    expect(watcher.usage?.freshInputTokens).toBe(7)
  })

  it.each([
    ['no brace', 'x'.repeat(600_000)],
    ['no opening brace', `${'x'.repeat(600_000)}}`],
    ['a closing brace before the opening one', `}${'x'.repeat(600_000)}{`],
  ])('refuses a large event with %s', (_what, data) => {
    const { inspections } = watch([`data: ${data}`, '\n\n'])
    expect(inspections[0]?.failure?.code).toBe('upstream_bad_response')
  })
})

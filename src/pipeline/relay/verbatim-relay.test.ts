import { describe, expect, it } from 'vitest'
import { chatFormat } from '../../wire/chat/format.ts'
import { completionsFormat } from '../../wire/completions/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import type { AnsweredUsage, CostOf } from '../exchange/answer-cost.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

interface Piece {
  readonly index: number
  readonly words?: string
  readonly finish?: string
}

const formats = { chat: chatFormat, completions: completionsFormat }

function writeFrame(format: keyof typeof formats, pieces: readonly Piece[]): string {
  const choices = pieces.map(({ index, words = '', finish }) => ({
    index,
    ...(format === 'chat' ? { delta: { content: words } } : { text: words }),
    finish_reason: finish ?? null,
  }))
  return `data: ${JSON.stringify({ id: 'c-1', model: 'm', choices })}\n\n`
}

/** The result of a relay for a stream that ends after these frames. */
function relay(format: keyof typeof formats, frames: readonly (readonly Piece[])[]) {
  const relayed = createVerbatimRelay(formats[format])
  const text = frames.map((pieces) => writeFrame(format, pieces)).join('')
  const parts = [...relayed.push(Buffer.from(text)), ...relayed.end()]
  return { code: relayed.failure?.code, isTerminated: parts.join('').includes('[DONE]') }
}

describe.each(['chat', 'completions'] as const)(
  'a stream of several choices in the format of %s',
  (format) => {
    it('is cut off when one choice has not ended, even if another has', () => {
      const frames = [
        [{ index: 0, words: 'one' }],
        [{ index: 1, words: 'two' }],
        [{ index: 0, finish: 'stop' }],
        [{ index: 1, words: ' and' }],
      ]
      expect(relay(format, frames)).toEqual({ code: 'upstream_disconnected', isTerminated: false })
    })

    it('is complete when each choice has ended, in any order, and gets a missing terminator', () => {
      const frames = [
        [{ index: 1, words: 'two' }],
        [{ index: 0, words: 'one' }],
        [{ index: 1, finish: 'stop' }],
        [{ index: 0, finish: 'length' }],
        [{ index: 0, words: '' }],
      ]
      expect(relay(format, frames)).toEqual({ code: undefined, isTerminated: true })
    })

    it('fails when the provider broke one choice off, whatever the state of the others', () => {
      const frames = [
        [{ index: 0, words: 'one' }],
        [
          { index: 0, finish: 'error' },
          { index: 1, finish: 'stop' },
        ],
      ]
      expect(relay(format, frames)).toEqual({ code: 'upstream_error', isTerminated: false })
    })
  },
)

it('a relay passes nothing that follows the end of a stream, however malformed it is', () => {
  const relayed = createVerbatimRelay(chatFormat)
  const whole = `${writeFrame('chat', [{ index: 0, words: 'one', finish: 'stop' }])}data: [DONE]\n\n`
  const parts = [...relayed.push(Buffer.from(`${whole}data: {"id":\n\n`)), ...relayed.end()]
  expect(parts.join('')).toBe(whole)
  expect([relayed.isComplete, relayed.failure]).toEqual([true, undefined])
})

it('a relay that shows the cost prices the usage at the end of an answer by its tier, and no usage before it', () => {
  const asked: AnsweredUsage[] = []
  const costOf: CostOf = (answer) => {
    asked.push(answer)
    return '0.5'
  }
  const relayed = createVerbatimRelay(chatFormat, { costOf })
  const frame = (words: string, finish: string | null, outputTokens: number) => {
    const choices = [{ index: 0, delta: { content: words }, finish_reason: finish }]
    const usage = { prompt_tokens: 1, completion_tokens: outputTokens, total_tokens: 1 + outputTokens }
    return `data: ${JSON.stringify({ id: 'c-1', model: 'm', service_tier: 'priority', choices, usage })}\n\n`
  }
  const first = relayed.push(Buffer.from(frame('one', null, 1))).join('')
  const last = relayed.push(Buffer.from(frame(' two', 'stop', 2))).join('')
  expect([first.includes('cost'), last.includes('"cost":0.5')]).toEqual([false, true])
  expect(asked).toMatchObject([{ usage: { outputTokens: 2 }, servedTier: 'priority' }])
})

it('a stream whose last line end arrives in two halves keeps both', () => {
  const relayed = createVerbatimRelay(geminiFormat)
  const candidate = { content: { parts: [{ text: 'one' }], role: 'model' }, finishReason: 'STOP', index: 0 }
  const text = `data: ${JSON.stringify({ candidates: [candidate] })}\r\n\r\n`
  const halves = [Buffer.from(text.slice(0, -1)), Buffer.from(text.slice(-1))]
  const parts = [...halves.flatMap((half) => relayed.push(half)), ...relayed.end()]
  expect([parts.join(''), relayed.isComplete]).toEqual([text, true])
})

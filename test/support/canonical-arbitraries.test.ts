import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block } from '../../src/canonical/content.ts'
import { formatIds } from '../../src/canonical/format.ts'
import { lossFeatures } from '../../src/canonical/loss.ts'
import type { Turn } from '../../src/canonical/request.ts'
import { chatRequestArbitrary, replyArbitrary } from './canonical-arbitraries.ts'

const count = 2_000
/** Enough for members that many of the values have. */
const fewer = 300

function sample<Value>(arbitrary: fc.Arbitrary<Value>, numRuns = count): Value[] {
  return fc.sample(arbitrary, { numRuns, seed: 7 })
}

function blocksOf(turn: Turn): readonly Block[] {
  return turn.role === 'tool' ? turn.results : turn.content
}

describe('chatRequestArbitrary', () => {
  const requests = sample(chatRequestArbitrary())

  it('generates values that survive a JSON round trip', () => {
    for (const request of requests) expect(JSON.parse(JSON.stringify(request))).toStrictEqual(request)
  })

  it('generates no lone surrogate', () => {
    for (const request of requests) expect(JSON.stringify(request)).not.toMatch(/\\ud[89a-f]/i)
  })

  it('covers every kind of turn and block', () => {
    const blocks = requests.flatMap(({ turns }) => turns.flatMap(blocksOf))
    expect([...new Set(requests.flatMap(({ turns }) => turns.map(({ role }) => role)))].sort()).toEqual([
      'assistant',
      'system',
      'tool',
      'user',
    ])
    expect([...new Set(blocks.map(({ type }) => type))].sort()).toEqual([
      'audio',
      'document',
      'image',
      'redacted-thinking',
      'refusal',
      'search-result',
      'text',
      'thinking',
      'tool-call',
      'tool-result',
      'video',
    ])
  })

  it('answers each call once, in the turn after it, and nowhere else', () => {
    for (const { turns } of requests) {
      const calls = turns.map((turn) =>
        turn.role === 'assistant'
          ? turn.content.flatMap((block) => (block.type === 'tool-call' ? block.id : []))
          : [],
      )
      expect(new Set(calls.flat()).size).toBe(calls.flat().length)
      for (const [index, turn] of turns.entries()) {
        const answered = turn.role === 'tool' ? turn.results.map(({ callId }) => callId) : []
        expect(answered).toEqual(turn.role === 'tool' ? calls[index - 1] : [])
      }
    }
  })

  it('can omit every feature that a format may lose', () => {
    const small = sample(chatRequestArbitrary({ format: 'chat', without: lossFeatures }))
    const text = JSON.stringify(small)
    for (const type of [
      'image',
      'document',
      'opaque',
      'hosted',
      'custom',
      'thinking',
      'refusal',
      'allowed',
    ]) {
      expect(text).not.toContain(`"type":"${type}"`)
    }
    for (const field of ['cache', 'strict', 'citations', 'signature', 'detail']) {
      expect(text).not.toContain(`"${field}":`)
    }
    expect(small.every((request) => request.temperature === undefined && request.seed === undefined)).toBe(
      true,
    )
  })

  for (const format of formatIds) {
    it(`adds extras of the ${format} format only on request`, () => {
      const everywhere = JSON.stringify(sample(chatRequestArbitrary({ format }), fewer))
      expect(everywhere).toContain(`"extras":{"format":"${format}"`)
      const topOnly = chatRequestArbitrary({ format, extrasAt: ['request'], without: ['citations'] })
      const onTop = sample(topOnly, fewer)
      expect(onTop.some(({ extras }) => extras?.format === format)).toBe(true)
      expect(JSON.stringify(onTop.map(({ turns, tools }) => ({ turns, tools })))).not.toContain('"extras"')
    })
  }
})

describe('replyArbitrary', () => {
  it('generates values that survive a JSON round trip, without cache marks', () => {
    for (const reply of sample(replyArbitrary())) {
      expect(JSON.parse(JSON.stringify(reply))).toStrictEqual(reply)
      expect(JSON.stringify(reply.choices)).not.toContain('"cache":')
    }
  })

  it('keeps the parts of usage within their classes', () => {
    for (const { usage } of sample(replyArbitrary())) {
      if (usage === undefined) continue
      expect(usage.reasoningTokens + usage.outputAudioTokens).toBeLessThanOrEqual(usage.outputTokens)
      expect(usage.inputAudioTokens - usage.cacheReadAudioTokens).toBeLessThanOrEqual(usage.freshInputTokens)
      expect(usage.cacheReadAudioTokens).toBeLessThanOrEqual(usage.cacheReadTokens)
    }
  })
})

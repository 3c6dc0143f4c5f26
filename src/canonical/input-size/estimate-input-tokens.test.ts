import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { countPauses } from '../../../test/support/count-pauses.ts'
import type { ChatRequest, Turn } from '../request.ts'
import { estimateInputTokens, estimateInputTokensInSteps } from './estimate-input-tokens.ts'
import { vocabularies } from './token-vocabulary.ts'

const user = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const ask = (...turns: readonly Turn[]): ChatRequest => ({ model: 'm', stream: false, turns })
const estimate = (request: ChatRequest, vocabulary: keyof typeof vocabularies = 'gpt') =>
  estimateInputTokens(request, vocabularies[vocabulary])

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function' as const, name: 'weather', description: 'Tells the weather.', parameters }]

describe('the estimate of input tokens', () => {
  it('is a few tokens for a few words, for every model family', () => {
    for (const name of ['claude', 'newerClaude', 'gpt', 'open'] as const) {
      const count = estimate(ask(user('What is the capital of France?')), name)
      expect(count, name).toBeGreaterThanOrEqual(12)
      expect(count, name).toBeLessThanOrEqual(17)
    }
  })

  it('pauses during long input', () => {
    const [turn, text] = [user('Hello, 2026!'), user('Hello, 2026!\n'.repeat(200_000))]
    for (const request of [ask(...Array.from({ length: 4_000 }, () => turn)), ask(text)]) {
      const { value, pauses } = countPauses(estimateInputTokensInSteps(request, vocabularies.gpt))
      expect(value).toBe(estimate(request))
      expect(pauses).toBeGreaterThanOrEqual(4)
    }
    expect(countPauses(estimateInputTokensInSteps(ask(turn), vocabularies.gpt)).pauses).toBe(0)
  })

  it('grows with every turn, tool, call and result', () => {
    const call = {
      type: 'tool-call' as const,
      id: '1',
      name: 'weather',
      kind: 'function' as const,
      input: '{"city":"Rome"}',
    }
    const result = {
      type: 'tool-result' as const,
      callId: '1',
      content: [{ type: 'text' as const, text: 'Sun' }],
      isError: false,
    }
    const turns: readonly Turn[] = [
      user('How is the weather in Rome?'),
      { role: 'assistant', content: [call] },
      { role: 'tool', results: [result] },
    ]
    const counts = [
      estimate(ask(...turns.slice(0, 1))),
      estimate({ ...ask(...turns.slice(0, 1)), tools }),
      estimate({ ...ask(...turns.slice(0, 2)), tools }),
      estimate({ ...ask(...turns), tools }),
    ]
    expect(counts).toEqual([...new Set(counts)].sort((left, right) => left - right))
  })

  it('adds the tokens that providers insert for tools, schemas and thinking if the request has them', () => {
    const plain = estimate(ask(user('Hi')), 'claude')
    expect(estimate({ ...ask(user('Hi')), tools }, 'claude') - plain).toBeGreaterThan(525)
    const outputFormat = { type: 'json-schema' as const, schema: parameters }
    expect(estimate({ ...ask(user('Hi')), outputFormat }, 'claude') - plain).toBeGreaterThan(125)
    expect(
      estimate({ ...ask(user('Hi')), reasoning: { mode: 'on', budgetTokens: 1024 } }, 'claude') - plain,
    ).toBe(29)
    expect(estimate({ ...ask(user('Hi')), reasoning: { mode: 'off' } }, 'claude')).toBe(plain)
  })

  it('leaves out thinking of earlier turns, which models do not read again', () => {
    const thinking = { type: 'thinking' as const, text: 'A long thought. '.repeat(100), signature: 'x' }
    const answer = { type: 'text' as const, text: 'Yes.' }
    const turns = (content: (typeof thinking | typeof answer)[]): readonly Turn[] => [
      user('Is it?'),
      { role: 'assistant', content },
    ]
    expect(estimate(ask(...turns([thinking, answer])))).toBe(estimate(ask(...turns([answer]))))
  })

  it('counts images by their size and documents by their pages', () => {
    const head = Buffer.alloc(33)
    head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
    head.writeUInt32BE(750, 16)
    head.writeUInt32BE(1_000, 20)
    const data = head.toString('base64')
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, mediaType: 'image/png', data },
    }
    const document = {
      type: 'document' as const,
      source: { type: 'base64' as const, mediaType: 'application/pdf', data: '' },
    }
    const withBlock = (block: typeof image | typeof document) =>
      estimate(ask({ role: 'user', content: [block] }), 'claude')
    const empty = estimate(ask({ role: 'user', content: [] }), 'claude')
    expect(withBlock(image) - empty).toBe(1_000)
    expect(withBlock(document) - empty).toBe(2_000)
  })

  it('gives other scripts more tokens per letter than Latin scripts', () => {
    const latin = estimate(ask(user('information '.repeat(100))))
    expect(estimate(ask(user('информация '.repeat(100))))).toBeGreaterThan(latin)
    expect(estimate(ask(user('情報情報情報情報情報情'.repeat(100))))).toBeGreaterThan(latin)
  })

  it('is a positive integer for any request, and never falls when a turn is added', () => {
    fc.assert(
      fc.property(chatRequestArbitrary(), (request) => {
        const count = estimate(request)
        expect(Number.isSafeInteger(count) && count > 0).toBe(true)
        expect(estimate({ ...request, turns: [...request.turns, user('Hi')] })).toBeGreaterThanOrEqual(count)
      }),
    )
  })
})

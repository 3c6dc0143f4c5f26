import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../kit/json/json.ts'
import { createUsageSniffer } from './usage-sniffer.ts'

function sniffWhole(value: JsonValue) {
  const sniffer = createUsageSniffer('application/json')
  sniffer.push(Buffer.from(JSON.stringify(value)))
  return sniffer.end()
}

describe('the usage of a pass-through', () => {
  const searched = {
    candidates: [{ index: 0, groundingMetadata: { webSearchQueries: ['gates', 'doors'] } }],
    usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 1, totalTokenCount: 1_001 },
  }
  const ended = {
    candidates: [{ index: 0, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 500, totalTokenCount: 1_500 },
  }

  it('is found in a Gemini stream that is one JSON array', () => {
    expect(sniffWhole([searched, ended]).usage).toMatchObject({
      freshInputTokens: 1_000,
      outputTokens: 500,
      isEstimated: false,
    })
  })

  it('is a lower bound if the array ends before the answer does', () => {
    expect(sniffWhole([searched]).usage).toMatchObject({ outputTokens: 1, isEstimated: true })
  })

  it('counts the searches of a Gemini answer, and has its tier', () => {
    const { usageMetadata, candidates } = ended
    const last = { candidates, usageMetadata: { ...usageMetadata, trafficType: 'ON_DEMAND_FLEX' } }
    expect(sniffWhole([searched, last])).toMatchObject({
      usage: { toolCalls: { web_search: 2 } },
      servedTier: 'flex',
    })
  })

  it('has the output of an answer whose usage is in the words of images', () => {
    const usage = {
      total_tokens: 1_100,
      input_tokens: 100,
      output_tokens: 1_000,
      input_tokens_details: { text_tokens: 60, image_tokens: 40 },
    }
    expect(sniffWhole({ created: 1, data: [{}], usage }).usage).toMatchObject({
      freshInputTokens: 100,
      inputImageTokens: 40,
      outputTokens: 1_000,
      outputImageTokens: 1_000,
    })
  })

  it('has the output of an object of the responses API that is no response', () => {
    const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 }
    expect(sniffWhole({ object: 'response.compaction', usage }).usage).toMatchObject({
      freshInputTokens: 100,
      outputTokens: 10,
    })
  })

  it.each([
    ['Converse', { inputTokens: 100, outputTokens: 10, totalTokens: 110 }],
    ['Cohere', { billed_units: { input_tokens: 90 }, tokens: { input_tokens: 100, output_tokens: 10 } }],
  ])('is found in an answer of %s', (_format, usage) => {
    expect(sniffWhole({ usage }).usage).toMatchObject({ freshInputTokens: 100, outputTokens: 10 })
  })

  // Google counts thoughts in the total alone, and states no total for vectors.
  it.each([
    ['chat', { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 } }, [10, 105]],
    ['Gemini', { usageMetadata: { promptTokenCount: 10 }, embedding: {} }, [10, 0]],
    ['Gemini', { usageMetadata: { promptTokenCount: 10, totalTokenCount: 12 } }, [10, 2]],
  ])(
    'is as an answer of %s states it if its counts are not its total',
    (_format, answer, [input, output]) => {
      expect(sniffWhole(answer).usage).toMatchObject({
        freshInputTokens: input,
        outputTokens: output,
        isEstimated: false,
      })
    },
  )

  it('is an estimate if the input is not named', () => {
    expect(sniffWhole({ usage: { completion_tokens: 5 } }).usage).toMatchObject({ isEstimated: true })
  })

  it('is unknown, not zero, if no count in it has a known name', () => {
    expect(sniffWhole({ usage: { credits: 7 } }).usage).toBeUndefined()
  })

  it.each([
    ['chat', { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
    ['responses', { object: 'response', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }],
    ['messages', { type: 'message', usage: { input_tokens: 0, output_tokens: 0 } }],
    ['Gemini', { candidates: [], usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 } }],
  ])('is unknown, not zero, if an answer of %s has only zeros', (_format, answer) => {
    expect(sniffWhole(answer).usage).toBeUndefined()
  })

  it('is what a stream stated, although zeros follow it', () => {
    const stated = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    const sniffer = createUsageSniffer('text/event-stream')
    for (const usage of [stated, zeros])
      sniffer.push(Buffer.from(`data: ${JSON.stringify({ choices: [], usage })}\n\n`))
    expect(sniffer.end().usage).toMatchObject({ freshInputTokens: 100, outputTokens: 10 })
  })
})

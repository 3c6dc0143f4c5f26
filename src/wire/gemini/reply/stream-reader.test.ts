import { describe, expect, it } from 'vitest'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { readReply } from './read-reply.ts'
import { createStreamReader } from './stream-reader.ts'

const head = { modelVersion: 'gemini-3-flash', responseId: 'r-1' }

function chunk(parts: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], ...head }
}

const stop = chunk([{ text: '' }], { finishReason: 'STOP' })

function readText(text: string) {
  const reader = createStreamReader()
  const events = createSseParser()
    .push(Buffer.from(text))
    .flatMap((frame) => reader.push(frame))
  return [...events, ...reader.end()]
}

function read(...chunks: readonly JsonObject[]) {
  return foldReply(readText(chunks.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join('')))
}

/** The content of an answer that is read alike as a stream and as the list of its chunks. */
function contentOf(...chunks: readonly JsonObject[]) {
  const reply = read(...chunks)
  if ('code' in reply) throw new Error(reply.message)
  expect(readReply(chunks)).toEqual(reply)
  return reply.choices[0]
}

describe('a stream of the Gemini format', () => {
  it('that ends without a finish reason is cut, and one without content is empty', () => {
    expect(read(chunk([{ text: 'Hi' }]))).toMatchObject({ code: 'upstream_disconnected' })
    expect(read()).toMatchObject({ code: 'upstream_empty' })
    const both = {
      candidates: [
        { index: 0, finishReason: 'STOP' },
        { index: 1, content: {} },
      ],
      ...head,
    }
    expect(read(both)).toMatchObject({ code: 'upstream_disconnected' })
  })

  it('fails at an error in the middle, and at a chunk that is not JSON, with the earlier content', () => {
    const error = { error: { code: 503, status: 'UNAVAILABLE', message: 'Busy.' } }
    expect(read(chunk([{ text: 'Hi' }]), error, stop)).toMatchObject({ code: 'upstream_overloaded' })
    const good = `data: ${JSON.stringify(chunk([{ text: 'Hi' }]))}\n\n`
    for (const bad of ['{"candidates":', '[]', '7', 'null']) {
      const events = readText(`${good}data: ${bad}\n\ndata: ${JSON.stringify(stop)}\n\n`)
      expect(events.map(({ type }) => type)).toEqual(['reply-start', 'block-start', 'text-delta', 'failure'])
      expect(events.at(-1)).toMatchObject({ failure: { code: 'upstream_bad_response' } })
    }
  })

  it('fails when the service could not parse the model’s output', () => {
    for (const finishReason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE']) {
      const failed = read(chunk([{ text: 'Hm' }]), chunk([], { finishReason, finishMessage: 'Why.' }))
      expect(failed).toMatchObject({
        code: 'upstream_error',
        upstream: { code: finishReason, message: 'Why.' },
      })
    }
  })

  it.each([
    ['STOP', 'end', undefined],
    ['MAX_TOKENS', 'length', undefined],
    ['SAFETY', 'content-filter', undefined],
    ['RECITATION', 'content-filter', 'RECITATION'],
    ['BLOCKLIST', 'content-filter', 'BLOCKLIST'],
    ['PROHIBITED_CONTENT', 'content-filter', 'PROHIBITED_CONTENT'],
    ['SPII', 'content-filter', 'SPII'],
    ['LANGUAGE', 'content-filter', 'LANGUAGE'],
    ['IMAGE_SAFETY', 'content-filter', 'IMAGE_SAFETY'],
    ['OTHER', 'content-filter', 'OTHER'],
    ['SOMETHING_NEW', 'content-filter', 'SOMETHING_NEW'],
    ['stop', 'end', undefined],
    ['max_tokens', 'length', undefined],
    [1, 'end', undefined],
    [2, 'length', undefined],
    [8, 'content-filter', 'FINISH_REASON_8'],
  ])('that ends in %s has the finish reason %s', (finishReason, stopReason, kept) => {
    const choice = contentOf(chunk([{ text: 'Hi' }]), chunk([], { finishReason }))
    expect(choice?.stopReason).toBe(stopReason)
    if (kept !== undefined) expect(choice?.extras?.fields).toEqual({ finishReason: kept })
  })

  it('for a refused prompt is an answer without text', () => {
    const refused = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
      ...head,
    }
    expect(read(refused)).toMatchObject({
      choices: [{ content: [], stopReason: 'content-filter' }],
      usage: { freshInputTokens: 7, outputTokens: 0, isEstimated: false },
    })
  })

  it('joins text, and separates thoughts, calls and text in their order', () => {
    const choice = contentOf(
      chunk([{ text: 'Hm', thought: true }]),
      chunk([{ text: '.', thought: true }, { text: 'He' }]),
      chunk([{ text: 'llo' }, { functionCall: { name: 'f', args: { a: 1 } } }]),
      chunk([{ functionCall: { name: 'f', args: {} } }], { finishReason: 'STOP' }),
    )
    expect(choice).toMatchObject({
      content: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Hello' },
        { type: 'tool-call', id: 'call_r-1_0', name: 'f', input: '{"a":1}' },
        { type: 'tool-call', id: 'call_r-1_1', name: 'f', input: '{}' },
      ],
      stopReason: 'tool-calls',
    })
  })

  it('gives every call an id of its own: the given one, unless another call has it', () => {
    const call = (id?: string) => ({
      functionCall: { name: 'f', args: {}, ...(id === undefined ? {} : { id }) },
    })
    const ids = (reply: JsonObject) =>
      contentOf(reply)?.content.map((block) => (block.type === 'tool-call' ? block.id : ''))
    const given = chunk([call('a'), call('a'), call('')], { finishReason: 'STOP' })
    expect(ids(given)).toEqual(['a', 'call_r-1_1', 'call_r-1_2'])
    const { responseId: _id, ...unnamed } = chunk([call()], { finishReason: 'STOP' })
    const [first = ''] = ids({ ...unnamed, usageMetadata: { promptTokenCount: 3 } }) ?? []
    const [later] = ids({ ...unnamed, usageMetadata: { promptTokenCount: 9 } }) ?? []
    expect(first).toMatch(/^call_[0-9a-f]{20}_0$/)
    expect(later).not.toBe(first)
  })

  it('joins a call whose arguments come in pieces', () => {
    const piece = (call: JsonObject) => chunk([{ functionCall: call }])
    const choice = contentOf(
      chunk([{ functionCall: { name: 'f', id: 'a', willContinue: true }, thoughtSignature: 'c2ln' }]),
      piece({
        partialArgs: [{ jsonPath: '$.list[0].to', stringValue: 'Bos', willContinue: true }],
        willContinue: true,
      }),
      piece({ partialArgs: [{ jsonPath: '$.list[0].to', stringValue: 'ton' }], willContinue: true }),
      piece({
        partialArgs: [
          { jsonPath: '$.list[1].n', numberValue: 2 },
          { jsonPath: "$['a b']", boolValue: true },
          { jsonPath: '$.nothing', nullValue: 'NULL_VALUE' },
        ],
        willContinue: true,
      }),
      piece({}),
      piece({ name: 'g', willContinue: true }),
      stop,
    )
    expect(choice).toMatchObject({
      content: [
        { type: 'redacted-thinking', data: 'c2ln' },
        { type: 'tool-call', id: 'a', input: '{"list":[{"to":"Boston"},{"n":2}],"a b":true,"nothing":null}' },
        { type: 'tool-call', name: 'g', input: '{}' },
      ],
      stopReason: 'tool-calls',
    })
    for (const jsonPath of ['list', '$', '$.a[', '$.__proto__.x', '$.a[99]']) {
      const bad = piece({ name: 'f', willContinue: true, partialArgs: [{ jsonPath, stringValue: 'x' }] })
      expect(read(bad, stop)).toMatchObject({ code: 'upstream_bad_response' })
    }
    expect(read(piece({ partialArgs: [] }), stop)).toMatchObject({ code: 'upstream_bad_response' })
  })

  it('goes on after a finish reason, which some servers state in every chunk', () => {
    const choice = contentOf(
      chunk([], { finishReason: 'STOP' }),
      chunk([{ text: 'He' }], { finishReason: 'STOP' }),
      chunk([{ text: 'llo' }], { finishReason: 'STOP' }),
      chunk([], { finishReason: 'MAX_TOKENS' }),
    )
    expect(choice).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stopReason: 'length' })
  })

  it('leaves the arguments open of a call that the end of the answer cut', () => {
    const args = { partialArgs: [{ jsonPath: '$.path', stringValue: '/home/us', willContinue: true }] }
    const begun = chunk([{ functionCall: { name: 'delete', id: 'a', willContinue: true, ...args } }])
    expect(contentOf(begun, chunk([], { finishReason: 'MAX_TOKENS' }))).toMatchObject({
      content: [{ type: 'tool-call', id: 'a', input: '{"path":"/home/us"' }],
      stopReason: 'length',
    })
  })

  it('has its citations with their positions, even when the last part has only a signature', () => {
    const groundingMetadata = {
      webSearchQueries: ['q'],
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { retrievedContext: { uri: 'gs://b', text: 'B says.', fileSearchStore: 's' } },
        { web: { uri: 'https://c.example' } },
      ],
      groundingSupports: [
        // The first two characters take six bytes.
        { segment: { startIndex: 6, endIndex: 9, text: 'abc' }, groundingChunkIndices: [0, 1] },
      ],
    }
    const choice = contentOf(
      chunk([{ text: '漢字a' }]),
      chunk([{ text: 'bc' }, { text: '', thoughtSignature: 'c2ln' }], {
        finishReason: 'STOP',
        groundingMetadata,
      }),
    )
    expect(choice).toMatchObject({
      content: [
        {
          type: 'text',
          text: '漢字abc',
          citations: [
            { url: 'https://a.example', title: 'A', startIndex: 2, endIndex: 5 },
            {
              url: 'gs://b',
              citedText: 'B says.',
              startIndex: 2,
              extras: { fields: { retrievedContext: { fileSearchStore: 's' } } },
            },
            { url: 'https://c.example' },
          ],
        },
        { type: 'redacted-thinking', data: 'c2ln' },
      ],
      extras: { fields: { groundingMetadata: { webSearchQueries: ['q'] } } },
    })
  })

  it('joins audio that comes in pieces of any length', () => {
    const sound = (bytes: Buffer) => ({
      inlineData: { mimeType: 'audio/L16;rate=24000', data: bytes.toString('base64') },
    })
    const whole = Buffer.from('sound of seven words')
    const choice = contentOf(
      chunk([sound(whole.subarray(0, 4))]),
      chunk([sound(whole.subarray(4, 9)), sound(whole.subarray(9))]),
      stop,
    )
    expect(choice?.content).toEqual([
      { type: 'audio', encoding: 'L16;rate=24000', data: whole.toString('base64') },
    ])
  })

  it('preserves code that the provider ran, and images as images', () => {
    const ran = { executableCode: { language: 'PYTHON', code: 'print(1)' }, thoughtSignature: 'c2ln' }
    const choice = contentOf(
      chunk([ran, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }], { finishReason: 'STOP' }),
    )
    expect(choice?.content).toEqual([
      { type: 'opaque', format: 'gemini', value: ran, name: 'executableCode' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ])
  })

  it('counts disjoint classes that add up to the provider’s total', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 20,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 50,
      totalTokenCount: 200,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 70 },
        { modality: 'AUDIO', tokenCount: 20 },
        { modality: 2, tokenCount: 10 },
      ],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
    }
    expect(read({ ...stop, usageMetadata })).toMatchObject({
      usage: {
        freshInputTokens: 60,
        cacheReadTokens: 60,
        outputTokens: 80,
        reasoningTokens: 50,
        inputAudioTokens: 20,
        inputImageTokens: 10,
        outputAudioTokens: 5,
        isEstimated: false,
      },
    })
    const unnamed = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 40 }
    expect(read({ ...stop, usageMetadata: unnamed })).toMatchObject({
      usage: { freshInputTokens: 10, outputTokens: 30, reasoningTokens: 25, isEstimated: true },
    })
    // A chunk with empty counts does not reset any.
    const traffic = { ...stop, usageMetadata: { trafficType: 'ON_DEMAND' } }
    expect(read({ ...chunk([{ text: 'a' }]), usageMetadata }, traffic)).toMatchObject({
      usage: { freshInputTokens: 60 },
      extras: { fields: { usageMetadata: { trafficType: 'ON_DEMAND' } } },
    })
  })

  it('reads several candidates, and the log probabilities of their tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', tokenId: 7, logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'é', tokenId: 7, logProbability: -0.5 }] }],
    }
    const candidate = (index: number, text: string) => ({
      content: { parts: [{ text }] },
      index,
      finishReason: 'STOP',
      ...(index === 0 ? { logprobsResult } : {}),
    })
    const entry = { token: 'é', logprob: -0.5, bytes: [195, 169], token_id: 7 }
    expect(read({ candidates: [candidate(1, 'b'), candidate(0, 'a')], ...head })).toMatchObject({
      choices: [
        { content: [{ text: 'a' }], logprobs: { content: [{ ...entry, top_logprobs: [entry] }] } },
        { content: [{ text: 'b' }] },
      ],
    })
  })
})

it('a reader gives the text of one chunk once for each block, however many parts it has', () => {
  const parts = [...Array.from({ length: 1_000 }, () => ({ text: 'a' })), { text: 'b', thought: true }]
  const text = [chunk(parts), chunk([{ text: 'c' }, { text: 'd' }]), stop]
    .map((each) => `data: ${JSON.stringify(each)}\n\n`)
    .join('')
  const told = readText(text).flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
  expect(told).toEqual(['a'.repeat(1_000), 'b', 'cd'])
})

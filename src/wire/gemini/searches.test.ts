import { expect, test } from 'vitest'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { ReplyReader } from './reply/reply-reader.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const counts = { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 }

function answerWith(groundingMetadata: JsonObject, usageMetadata: JsonObject = counts): JsonObject {
  const content = { role: 'model', parts: [{ text: 'Sunny.' }] }
  return { candidates: [{ content, finishReason: 'STOP', groundingMetadata }], usageMetadata }
}

/** The calls that each reader of answers counts in the chunks of one. */
function readAll(chunks: readonly JsonObject[]) {
  const watcher = createStreamWatcher()
  const reader = new ReplyReader()
  let usage: Usage | undefined
  const events = chunks.flatMap((chunk) => {
    watcher.inspect({ event: undefined, data: JSON.stringify(chunk), bytes: Buffer.alloc(0) })
    return reader.read(chunk)
  })
  for (const event of [...events, ...reader.end()]) if (event.type === 'usage') usage = event.usage
  return { watched: watcher, translated: usage }
}

const page = { web: { uri: 'https://example.com', title: 'example.com' } }

test.each([
  ['each query once', { webSearchQueries: ['a', 'b', 'a'] }, { web_search: 2 }],
  ['no query that is empty', { webSearchQueries: ['', 'a'] }, { web_search: 1 }],
  ['none where only pages are named', { groundingChunks: [page, page] }, {}],
  ['one in maps', { groundingChunks: [{ maps: { title: 'Here' } }] }, { google_maps: 1 }],
  ['none where files of the caller were searched', { groundingChunks: [{ retrievedContext: {} }] }, {}],
  ['none where nothing was found', {}, {}],
] satisfies [string, JsonObject, object][])(
  'the searches of an answer are counted: %s',
  (_, grounding, calls) => {
    const answer = answerWith(grounding)
    const { watched, translated } = readAll([answer])
    const read = [watchReply(answer).usage, watched.usage, translated].map((usage) => usage?.toolCalls)
    expect(read).toEqual([calls, calls, calls])
  },
)

test('the queries of a stream are those of all its chunks', () => {
  const first = { candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }], usageMetadata: counts }
  const { watched, translated } = readAll([first, answerWith({ webSearchQueries: ['b', 'a'] })])
  expect([watched.usage?.toolCalls, translated?.toolCalls]).toEqual([{ web_search: 2 }, { web_search: 2 }])
})

test.each([
  [{ serviceTier: 'flex' }, 'flex'],
  [{ serviceTier: 'priority' }, 'priority'],
  [{ trafficType: 'ON_DEMAND_PRIORITY' }, 'priority'],
  [{ trafficType: 'ON_DEMAND_FLEX' }, 'flex'],
  [{ trafficType: 'ON_DEMAND' }, undefined],
] as const)('the tier is read beside the counts: %o', (named, tier) => {
  const answer = answerWith({}, { ...counts, ...named })
  const { watched } = readAll([answer])
  expect([watchReply(answer).servedTier, watched.servedTier]).toEqual([tier, tier])
})

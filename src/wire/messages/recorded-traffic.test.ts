import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { type CorpusCase, loadCases } from '../../../test/support/corpus.ts'
import { readAnswer } from '../../../test/support/judge.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { inputTokensOf } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { defaultDialect } from '../dialect.ts'
import { readError } from './errors/read-error.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'

const cases = loadCases({ api: 'anthropic.messages' }) ?? []
const answered = cases.filter(({ response }) => response.status === 200)
const whole = answered.filter(({ response }) => response.body !== undefined)
/** One recording holds two streams in a row, which no answer does: after the end of the first, nothing is read. */
const streamed = answered.flatMap((recorded) => {
  const { sse } = recorded.response
  const isOne = sse?.split('event: message_stop').length === 2
  return sse === undefined || !isOne ? [] : [{ recorded, sse }]
})

/** Bodies as this path gets them: other clouds leave the model to the address. */
function requestOf({ request }: CorpusCase): JsonObject | undefined {
  const body = request?.body
  return isJsonObject(body) && 'model' in body && Array.isArray(body['messages']) ? body : undefined
}

/** A request in one normal form: texts as blocks, no nulls, no explicit defaults. */
function plainly(value: JsonValue | undefined, name = ''): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item: JsonValue) => plainly(item, `${name}[]`) ?? null)
  if (!isJsonObject(value)) {
    const isContent = (name === 'content' || name === 'system') && typeof value === 'string'
    return isContent ? [{ type: 'text', text: value }] : value
  }
  if (value['type'] === 'tool_use' || 'input_schema' in value) {
    const { type: _unsaid, caller: _direct, ...others } = value
    return others
  }
  const entries = Object.entries(value).filter(
    ([, part]) => !['null', 'false', '""', '[]'].includes(JSON.stringify(part)),
  )
  return Object.fromEntries(entries.map(([field, part]) => [field, plainly(part, field)]))
}

/** Blocks as the official client holds them, without explicit defaults. */
function plainBlocks(blocks: readonly object[]): readonly JsonValue[] {
  const plain: readonly JsonObject[] = JSON.parse(JSON.stringify(blocks))
  return plain.map(({ caller, ...block }) => {
    const said = Object.entries(block).filter(([, value]) => value !== null && JSON.stringify(value) !== '[]')
    const isDirect = isJsonObject(caller) && caller['type'] === 'direct'
    return Object.fromEntries(isDirect || caller === undefined ? said : [...said, ['caller', caller]])
  })
}

function readStream(bytes: Buffer, step: number): readonly ReplyEvent[] {
  const parser = createSseParser()
  const reader = createStreamReader()
  const events: ReplyEvent[] = []
  for (let at = 0; at < bytes.length; at += step) {
    for (const frame of parser.push(bytes.subarray(at, at + step))) events.push(...reader.push(frame))
  }
  const last = parser.end()
  if (last !== undefined) events.push(...reader.push(last))
  return [...events, ...reader.end()]
}

function writeStream(events: readonly ReplyEvent[]): string {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r1' })
  return events.map((event) => writer.push(event)).join('')
}

/** A canonical reply in the judge's words. */
function summaryOf(reply: Reply | Failure) {
  if ('code' in reply) throw new Error(reply.message)
  const content = reply.choices[0]?.content ?? []
  const { usage } = reply
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.text : '')).join(''),
    toolCalls: content.flatMap((block) =>
      block.type === 'tool-call' ? [{ name: block.name, arguments: JSON.parse(block.input) }] : [],
    ),
    usage: usage && {
      input: inputTokensOf(usage),
      cacheRead: usage.cacheReadTokens,
      output: usage.outputTokens,
    },
  }
}

function judge(body: string, isStream: boolean) {
  const { text, thinking, toolCalls, usage, stopReason } = readAnswer({ format: 'messages', body, isStream })
  return { said: { text, thinking, toolCalls, usage }, stopReason }
}

async function readByOfficialClient(sse: string) {
  const client = new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://unused.invalid',
    maxRetries: 0,
    fetch: async () => new Response(sse, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  return client.beta.messages.stream({ model: 'm', max_tokens: 16, messages }).finalMessage()
}

describe('recorded requests of the messages format', () => {
  it('are read, and mean the same when written again', () => {
    let compared = 0
    for (const recorded of cases) {
      const body = requestOf(recorded)
      // Blank texts are left out and declared: the provider took this one and refuses others.
      if (body === undefined || JSON.stringify(body).includes('"text":" "')) continue
      const { value, losses } = writeRequest(readRequest(body), {
        model: String(body['model']),
        dialect: defaultDialect,
      })
      expect(losses, recorded.id).toEqual([])
      expect(plainly(value), recorded.id).toEqual(plainly(body))
      compared += 1
    }
    expect(compared).toBeGreaterThanOrEqual(cases.length === 0 ? 0 : 150)
  })
})

describe('recorded whole replies of the messages format', () => {
  it('have the content that an independent reader finds', () => {
    for (const { id, response } of whole) {
      expect(summaryOf(readReply(response.body ?? null)), id).toEqual(
        judge(JSON.stringify(response.body), false).said,
      )
    }
  })

  it('mean the same when written again, whole or as a stream', () => {
    for (const { id, response } of whole) {
      const reply = readReply(response.body ?? null)
      if ('code' in reply) throw new Error(id)
      const expected = judge(JSON.stringify(response.body), false)
      const written = writeReply(reply)
      // The rates of an advisor are its own model's, so that its count is estimated.
      const hasAdvisor = JSON.stringify(response.body).includes('"advisor_message"')
      const estimated = { feature: 'usage-detail', kind: 'dropped', field: 'estimated' }
      expect(written.losses, id).toEqual(hasAdvisor ? [estimated] : [])
      expect(judge(JSON.stringify(written.value), false), id).toEqual(expected)
      expect(judge(writeStream(unfoldReply(reply)), true), id).toEqual(expected)
    }
  })
})

describe('recorded streams of the messages format', () => {
  it('have the content that an independent reader finds, for any split of their bytes', () => {
    for (const { recorded, sse } of streamed) {
      const bytes = Buffer.from(sse)
      const events = readStream(bytes, bytes.length)
      expect(summaryOf(foldReply(events)), recorded.id).toEqual(judge(sse, true).said)
      for (const step of [1, 7, 1021]) expect(readStream(bytes, step), recorded.id).toEqual(events)
    }
  })

  it('mean the same when written again, to the official client, too', async () => {
    for (const { recorded, sse } of streamed) {
      const again = writeStream(readStream(Buffer.from(sse), 4096))
      expect(judge(again, true), recorded.id).toEqual(judge(sse, true))
      const [message, original] = await Promise.all([readByOfficialClient(again), readByOfficialClient(sse)])
      expect(plainBlocks(message.content), recorded.id).toEqual(plainBlocks(original.content))
      expect(message.stop_reason, recorded.id).toEqual(original.stop_reason)
      expect(message.usage.output_tokens, recorded.id).toEqual(original.usage.output_tokens)
    }
  })

  it('give the watcher the same usage and end', () => {
    for (const { recorded, sse } of streamed) {
      const watcher = createStreamWatcher()
      const parser = createSseParser()
      const inspections = parser.push(Buffer.from(sse)).map((frame) => watcher.inspect(frame))
      const reply = foldReply(readStream(Buffer.from(sse), 4096))
      if ('code' in reply) throw new Error(recorded.id)
      expect(watcher.usage, recorded.id).toEqual(reply.usage)
      expect([watcher.hasStopReason, watcher.isTerminated], recorded.id).toEqual([true, true])
      expect(inspections.filter(({ failure }) => failure !== undefined)).toEqual([])
      expect(inspections.some(({ hasContent }) => hasContent)).toBe(true)
    }
  })
})

describe('recorded errors of the messages format', () => {
  it('about our credential or model never become the fault of the caller', () => {
    for (const { id, response } of cases.filter((recorded) => recorded.response.status !== 200)) {
      const body = Buffer.from(JSON.stringify(response.body))
      const { code } = readError({ status: response.status, headers: response.headers, body })
      const expected = response.status === 404 ? 'upstream_model_missing' : 'upstream_credential'
      expect(code, id).toBe(expected)
    }
  })
})

import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { type CorpusCase, loadCases } from '../../../test/support/corpus.ts'
import { readAnswer } from '../../../test/support/judge.ts'
import type { Judged } from '../../../test/support/judged.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { inputTokensOf } from '../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { defaultDialect } from '../dialect.ts'
import { readError } from '../errors/read-error.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const cases = loadCases({ api: 'openai.chat' }) ?? []
const answered = cases.filter(
  ({ response, features }) => response.status === 200 && !features.includes('error_mid_stream'),
)
const errors = cases.filter(({ response }) => response.status >= 400)
const broken = cases.filter(({ features }) => features.includes('error_mid_stream'))

/** The recorded answer as text: its body, or its stream. */
function textOf({ response }: CorpusCase): string {
  return response.sse ?? JSON.stringify(response.body)
}

/** Some servers send an empty `function_call` with every answer, which the judge takes for a call. */
function judge(recorded: CorpusCase): Judged {
  const isStream = recorded.response.sse !== undefined
  const judged = readAnswer({ format: 'chat', body: textOf(recorded), isStream })
  return { ...judged, toolCalls: judged.toolCalls.filter(({ name }) => name !== '') }
}

function readStream(sse: string, step: number): readonly ReplyEvent[] {
  const bytes = Buffer.from(sse)
  const parser = createSseParser()
  const reader = createStreamReader()
  const events: ReplyEvent[] = []
  // Steps of uneven length, the same in every run.
  for (let at = 0, size = step; at < bytes.length; at += size, size = ((size * 7) % 61) + 1) {
    for (const frame of parser.push(bytes.subarray(at, at + size))) events.push(...reader.push(frame))
  }
  const last = parser.end()
  if (last !== undefined) events.push(...reader.push(last))
  return [...events, ...reader.end()]
}

function read({ response }: CorpusCase): Reply | Failure {
  return response.sse === undefined
    ? readReply(response.body ?? null)
    : foldReply(readStream(response.sse, 5))
}

/** A reply in the judge's words, its first choice. */
function summarise(reply: Reply): Omit<Judged, 'error' | 'isTerminated'> {
  const choice = reply.choices[0]
  const content = choice?.content ?? []
  const words = (type: 'text' | 'thinking' | 'refusal') =>
    content.map((block) => (block.type === type ? block.text : '')).join('')
  const toolCalls = content
    .filter((block) => block.type === 'tool-call')
    .map(({ name, kind, input }) => ({ name, arguments: kind === 'function' ? JSON.parse(input) : input }))
  const { usage } = reply
  const stop = choice?.stopReason === 'end' && toolCalls.length > 0 ? 'tool-calls' : choice?.stopReason
  return {
    text: words('text'),
    thinking: words('thinking'),
    refusal: words('refusal'),
    toolCalls,
    stopReason: stop === 'end' || stop === 'length' || stop === 'tool-calls' ? stop : undefined,
    usage:
      usage === undefined
        ? undefined
        : { input: inputTokensOf(usage), cacheRead: usage.cacheReadTokens, output: usage.outputTokens },
  }
}

/** The rules by which the recording and the reader rightly differ, each with its reason. */
const exceptions: Readonly<Record<string, (expected: Judged, recorded: CorpusCase) => boolean>> = {
  'reasoning only as details, which the judge does not read': ({ thinking }, recorded) =>
    thinking === '' && textOf(recorded).includes('reasoning.text'),
  'a reason for the end that is no word of the format': ({ stopReason }) =>
    stopReason?.startsWith('other: ') ?? false,
  'more cached than read, which cannot be': ({ usage }) =>
    usage !== undefined && usage.cacheRead > usage.input,
  'parts that do not add up to the total': (_expected, recorded) => hasOddTotal(recorded),
  'cached input under a name the judge does not read': (_expected, recorded) =>
    /"num_cached_tokens":\s*[1-9]/.test(textOf(recorded)),
}

function hasOddTotal(recorded: CorpusCase): boolean {
  const usage = /"prompt_tokens":\s*(\d+)/.test(textOf(recorded)) ? usageOf(recorded) : undefined
  const details = usage?.['completion_tokens_details']
  const reasoning = isJsonObject(details) ? Number(details['reasoning_tokens'] ?? 0) : 0
  const [input, output, total] = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) =>
    Number(usage?.[name] ?? 0),
  )
  const unnamed = (total ?? 0) - (input ?? 0) - (output ?? 0)
  return (unnamed !== 0 && unnamed !== reasoning) || (unnamed === 0 && reasoning > (output ?? 0))
}

function usageOf({ response }: CorpusCase): JsonObject | undefined {
  const { body, sse } = response
  if (sse === undefined) return isJsonObject(body) && isJsonObject(body['usage']) ? body['usage'] : undefined
  const chunks = sse
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line): JsonValue => JSON.parse(line.slice(6)))
  return chunks.map((chunk) => (isJsonObject(chunk) ? chunk['usage'] : undefined)).findLast(isJsonObject)
}

describe.skipIf(cases.length === 0)('recorded traffic of the chat format', () => {
  it('has only valid request bodies, which are written again without an error', () => {
    const bodies = cases.flatMap(({ id, request, response }) =>
      isJsonObject(request?.body) && response.status < 400 ? [{ id, body: request.body }] : [],
    )
    for (const { id, body } of bodies) {
      const { value } = writeRequest(readRequest(body), { model: 'm', dialect: defaultDialect })
      const messages = value['messages']
      expect(isJsonArray(messages) && messages.length, id).toBeGreaterThan(0)
    }
    process.stdout.write(`recorded chat requests: ${bodies.length} read and written\n`)
  })

  it('has answers that fold to the text, calls, finish reason and usage of an independent reader', () => {
    const counts = new Map<string, number>()
    for (const recorded of answered) {
      const expected = judge(recorded)
      const reply = read(recorded)
      if ('code' in reply) throw new Error(`${recorded.id}: ${reply.code}`)
      const { error: _error, isTerminated: _end, ...words } = expected
      const rules = Object.entries(exceptions).filter(([, applies]) => applies(expected, recorded))
      const rule = rules[0]?.[0] ?? 'equal'
      counts.set(rule, (counts.get(rule) ?? 0) + 1)
      const found = summarise(reply)
      expect([found.text, found.toolCalls], recorded.id).toEqual([words.text, words.toolCalls])
      if (rules.length === 0) expect(found, recorded.id).toEqual(words)
    }
    process.stdout.write(`recorded chat answers: ${JSON.stringify(Object.fromEntries(counts))}\n`)
    expect(counts.get('equal') ?? 0).toBeGreaterThan(answered.length * 0.93)
  })

  it('gives the same events for any split of a stream', () => {
    for (const { response, id } of [...answered, ...broken]) {
      if (response.sse === undefined) continue
      expect(readStream(response.sse, 3), id).toEqual(readStream(response.sse, response.sse.length))
    }
  })

  it('turns a broken stream into a failure, and ignores everything after it', () => {
    for (const { response, id } of broken) {
      const last = readStream(response.sse ?? '', 9).at(-1)
      expect(last?.type, id).toBe('failure')
    }
  })

  it('gives the watcher of the verbatim lane the same usage and failure as the reader', () => {
    for (const recorded of answered) {
      const reply = read(recorded)
      if ('code' in reply) throw new Error(`${recorded.id}: ${reply.code}`)
      const { sse, body } = recorded.response
      if (sse === undefined) {
        const { usage, failure } = watchReply(body ?? null)
        expect([usage, failure], recorded.id).toEqual([reply.usage, undefined])
        continue
      }
      const watcher = createStreamWatcher()
      const inspections = createSseParser()
        .push(Buffer.from(`${sse}\n\n`))
        .map((frame) => watcher.inspect(frame))
      expect(
        inspections.filter(({ failure }) => failure !== undefined),
        recorded.id,
      ).toEqual([])
      expect([watcher.usage, watcher.hasStopReason], recorded.id).toEqual([
        reply.usage,
        reply.choices[0]?.stopReason !== undefined,
      ])
    }
  })

  it('gives the expected failure for every recorded error', () => {
    const codes = new Map<string, number>()
    for (const { response } of errors) {
      const body = Buffer.from(JSON.stringify(response.body))
      const { code } = readError({ status: response.status, headers: response.headers, body })
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect(Object.fromEntries(codes)).toEqual({
      context_length_exceeded: 3,
      upstream_credential: 2,
      upstream_model_missing: 5,
      upstream_rate_limited: 1,
      upstream_rejected: 9,
    })
  })
})

/** The official client, given these bytes as its answer. */
function clientFor(body: string, contentType: string): OpenAI {
  const fetch = async () => new Response(body, { headers: { 'content-type': contentType } })
  return new OpenAI({ apiKey: 'none', baseURL: 'http://localhost/v1', fetch })
}

const anyRequest = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

describe.skipIf(cases.length === 0)('the official client', () => {
  it('accepts every recorded answer that is streamed again', async () => {
    for (const recorded of answered) {
      const reply = read(recorded)
      if ('code' in reply) throw new Error(`${recorded.id}: ${reply.code}`)
      const writer = createStreamWriter({ streamUsage: true, requestId: 'r1' })
      const text = unfoldReply(reply)
        .map((event) => writer.push(event))
        .join('')
      const stream = clientFor(text, 'text/event-stream').chat.completions.stream(anyRequest)
      const whole = await stream.finalChatCompletion()
      const found = summarise(reply)
      const message = whole.choices[0]?.message
      expect(message?.content ?? '', recorded.id).toBe(found.text)
      const calls = message?.tool_calls?.map((call) =>
        call.type === 'function' ? call.function.name : 'custom',
      )
      expect(calls?.length ?? 0, recorded.id).toBe(found.toolCalls.length)
      expect(whole.usage?.prompt_tokens, recorded.id).toBe(found.usage?.input)
    }
  })

  it('accepts every recorded answer that is written whole', async () => {
    for (const recorded of answered) {
      const reply = read(recorded)
      if ('code' in reply) throw new Error(`${recorded.id}: ${reply.code}`)
      const body = JSON.stringify(writeReply(reply).value)
      const whole = await clientFor(body, 'application/json').chat.completions.create(anyRequest)
      const judged = readAnswer({ format: 'chat', body, isStream: false })
      expect(whole.choices[0]?.message.content ?? '', recorded.id).toBe(judged.text)
      expect({ ...judged, stopReason: undefined }, recorded.id).toMatchObject({
        ...summarise(reply),
        stopReason: undefined,
      })
    }
  })
})

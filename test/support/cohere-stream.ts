import type { Failure } from '../../src/canonical/failure.ts'
import { foldReply } from '../../src/canonical/fold-reply.ts'
import type { Reply } from '../../src/canonical/reply.ts'
import type { ReplyEvent } from '../../src/canonical/reply-event.ts'
import type { JsonObject } from '../../src/kit/json/json.ts'
import { createSseParser } from '../../src/kit/sse/sse-parser.ts'
import { createStreamReader } from '../../src/wire/cohere/reply/stream-reader.ts'

function streamOf(events: readonly JsonObject[]): string {
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** The events that are read of a stream of Cohere's, its bytes cut into steps. */
export function readCohereStream(stream: string, step = stream.length): readonly ReplyEvent[] {
  const bytes = Buffer.from(stream)
  const parser = createSseParser()
  const reader = createStreamReader()
  const events: ReplyEvent[] = []
  for (let at = 0; at < bytes.length; at += step) {
    for (const frame of parser.push(bytes.subarray(at, at + step))) events.push(...reader.push(frame))
  }
  return [...events, ...reader.end()]
}

export function foldCohere(events: readonly JsonObject[]): Reply | Failure {
  return foldReply(readCohereStream(streamOf(events)))
}

export const cohereStart = { type: 'message-start', id: 'reply-1', delta: { message: { role: 'assistant' } } }
export const cohereUsage = {
  billed_units: { input_tokens: 12, output_tokens: 5 },
  tokens: { input_tokens: 512, output_tokens: 7 },
}

export function cohereContent(type: string, index: number, part: JsonObject): JsonObject {
  return { type: `content-${type}`, index, delta: { message: { content: part } } }
}

export function cohereEnd(finish_reason: string, more: JsonObject = {}): JsonObject {
  return { type: 'message-end', delta: { finish_reason, usage: cohereUsage, ...more } }
}

import { refuseBlocks } from '../../../canonical/answer-size.ts'
import { createFailure, type Failure, GatewayError } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readServedTier } from '../../served-tier.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { createExceptionFailure } from '../errors/create-exception-failure.ts'
import { readUsage } from '../values/read-usage.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a whole answer. Never throws: an error with a success status, or a body without a message, is a failure. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const output = isJsonObject(body['output']) ? body['output'] : {}
  const message = isJsonObject(output['message']) ? output['message'] : {}
  const content = message['content']
  if (!isJsonArray(content)) return readError(body)
  const refusal = refuseBlocks(content.length)
  if (refusal !== undefined) return refusal
  if (content.length === 0 && (body['stopReason'] ?? null) === null) return createFailure('upstream_empty')
  try {
    return foldReply(unfold(body, content))
  } catch (cause) {
    const said = cause instanceof GatewayError ? `: ${cause.message}` : '.'
    return createFailure('upstream_bad_response', {
      message: `The model provider sent an answer that could not be read${said}`,
    })
  }
}

/** Reads the usage of a whole answer without translating it. Never throws. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return {}
  const serviceTier = isJsonObject(body['serviceTier']) ? body['serviceTier']['type'] : undefined
  return omitUndefined({
    usage: readUsage(body['usage']),
    servedTier: readServedTier('converse', serviceTier),
  })
}

/** Reads an error in an answer with status 200. AWS's Coral front ends send some errors like that, with a type. */
function readError(body: JsonObject): Failure {
  const name = body['__type'] ?? body['code']
  if (typeof name === 'string') return createExceptionFailure({ name, body })
  return typeof body['message'] === 'string'
    ? createExceptionFailure({ name: '', body })
    : createFailure('upstream_bad_response')
}

/** Converts a whole answer to the events of an equivalent stream. */
function unfold(body: JsonObject, content: readonly JsonValue[]): readonly ReplyEvent[] {
  const reader = new ReplyReader()
  const events = [...reader.read('messageStart', {})]
  for (const [contentBlockIndex, block] of content.entries()) {
    if (!isJsonObject(block))
      throw new GatewayError('upstream_bad_response', { message: 'a block is no object.' })
    for (const [type, part] of unfoldBlock(block)) {
      events.push(...reader.read(type, { contentBlockIndex, ...part }))
    }
    events.push(...reader.read('contentBlockStop', { contentBlockIndex }))
  }
  return [...events, ...reader.read('messageStop', body), ...reader.read('metadata', body)]
}

type Part = readonly [type: string, payload: JsonObject]

function unfoldBlock(block: JsonObject): readonly Part[] {
  const { text, toolUse, reasoningContent, citationsContent } = block
  if (typeof text === 'string') return [delta({ text })]
  if (isJsonObject(citationsContent)) return unfoldCitations(citationsContent)
  if (isJsonObject(reasoningContent)) {
    const { reasoningText, ...others } = reasoningContent
    return [delta({ reasoningContent: isJsonObject(reasoningText) ? reasoningText : others })]
  }
  if (!isJsonObject(toolUse) || (toolUse['type'] ?? 'tool_use') !== 'tool_use') {
    return [['contentBlockStart', { start: block }]]
  }
  const { input, ...start } = toolUse
  return [
    ['contentBlockStart', { start: { toolUse: start } }],
    delta({ toolUse: { input: JSON.stringify(input ?? {}) } }),
  ]
}

function unfoldCitations({ content, citations }: JsonObject): readonly Part[] {
  const words = objectsIn(content)
  const sources = objectsIn(citations)
  return [
    ...words.map(({ text }) => delta({ text: typeof text === 'string' ? text : '' })),
    ...sources.map((citation) => delta({ citation })),
  ]
}

function delta(value: JsonObject): Part {
  return ['contentBlockDelta', { delta: value }]
}

import { refuseBlocks } from '../../../canonical/answer-size.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { readUsage } from '../values/read-usage.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a whole answer as the equivalent stream. Never throws. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { message } = body
  if (!isJsonObject(message)) return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  const refusal = refuseBlocks(listIn(message['content']).length + listIn(message['tool_calls']).length)
  if (refusal !== undefined) return refusal
  const reader = new ReplyReader()
  return foldReply(emit(body, message).flatMap((event) => reader.read(event)))
}

/** Reads the usage of a whole answer without translating it. Never throws. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return {}
  return omitUndefined({ usage: readUsage(body['usage']) })
}

function emit(body: JsonObject, message: JsonObject): readonly JsonObject[] {
  const { content, tool_plan: plan, tool_calls: calls, citations } = message
  const parts: readonly JsonValue[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
  const sources = groupSources(listIn(citations), parts)
  return [
    { type: 'message-start', id: body['id'] },
    ...(typeof plan === 'string' && plan !== ''
      ? [{ type: 'tool-plan-delta', delta: { message: { tool_plan: plan } } }]
      : []),
    ...parts.flatMap((part, index) => [
      { type: 'content-start', index, delta: { message: { content: part } } },
      ...(sources.get(index) ?? []),
    ]),
    ...listIn(calls).map((call, index) => ({
      type: 'tool-call-start',
      index,
      delta: { message: { tool_calls: call } },
    })),
    { type: 'message-end', delta: body },
  ]
}

/** Groups citations by the index of their part. A citation without an index belongs to the first text. */
function groupSources(
  citations: readonly JsonValue[],
  parts: readonly JsonValue[],
): ReadonlyMap<JsonValue, readonly JsonObject[]> {
  const firstText = parts.findIndex((part) => !isJsonObject(part) || part['type'] !== 'thinking')
  const groups = new Map<JsonValue, JsonObject[]>()
  for (const citation of citations) {
    if (!isJsonObject(citation)) continue
    const index = citation['content_index'] ?? firstText
    const event = { type: 'citation-start', index: 0, delta: { message: { citations: citation } } }
    const group = groups.get(index)
    if (group === undefined) groups.set(index, [event])
    else group.push(event)
  }
  return groups
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : []
}

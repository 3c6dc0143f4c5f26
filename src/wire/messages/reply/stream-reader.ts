import { createFailure, type Failure, GatewayError } from '../../../canonical/failure.ts'
import { isContent, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { NamedValues } from '../../../kit/json/named-values.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { createUnreadableFailure } from '../../errors/create-unreadable-failure.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { readServedTier } from '../../served-tier.ts'
import type { StreamReader } from '../../wire-format.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorWords } from '../errors/read-error-words.ts'
import { createExtras, readMessageExtras } from '../request/read-message-extras.ts'
import { messageDeltaEventFields, messageDeltaFields, usageFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { joinUsage, readUsage } from '../values/read-usage.ts'
import { readStopReason } from '../values/stop-reason.ts'
import { createStreamBlockReader, type StreamBlockReader } from './block-reader.ts'

interface ReaderState {
  readonly blocks: StreamBlockReader
  phase: 'before' | 'open' | 'finished' | 'over'
  /** Something of an answer was said; a block that was only begun says nothing. */
  hasContent: boolean
  usage: JsonObject
  choiceFields: JsonObject
  readonly endFields: NamedValues
  serviceTier: ServedTier | undefined
}

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer (docs/build-with-claude/streaming, seen 2026-11-20). Pings and unknown events are skipped. */
export function createStreamReader(): StreamReader {
  const state: ReaderState = {
    blocks: createStreamBlockReader(),
    phase: 'before',
    hasContent: false,
    usage: {},
    choiceFields: {},
    endFields: new NamedValues(),
    serviceTier: undefined,
  }
  return {
    push(frame) {
      if (state.phase === 'over' || isSilent(frame)) return none
      try {
        const events = readFrame(state, frame)
        if (!state.hasContent) state.hasContent = events.some(isContent)
        return events
      } catch (cause) {
        return fail(state, createUnreadableFailure(cause))
      }
    },
    end() {
      switch (state.phase) {
        case 'over':
          return none
        case 'finished':
          return endReply(state)
        default:
          return fail(state, createFailure('upstream_disconnected'))
      }
    },
  }
}

/** Comments, and the terminator of another format that some servers add. */
function isSilent({ data }: SseFrame): boolean {
  return data === undefined || data === '' || data.trim() === '[DONE]'
}

function readFrame(state: ReaderState, { data = '', event }: SseFrame): readonly ReplyEvent[] {
  const frame = parseFrame(data)
  if (!isJsonObject(frame)) return fail(state, createFailure('upstream_bad_response'))
  const words = readErrorWords(event === 'error' ? { type: 'error', ...frame } : frame)
  if (words !== undefined) return fail(state, createUpstreamFailure({ words }))
  switch (frame['type'] ?? event) {
    case 'message_start':
      return startMessage(state, frame['message'])
    case 'content_block_start':
      return demandOpen(state).start(frame, data)
    case 'content_block_delta':
      return demandOpen(state).delta(frame)
    case 'content_block_stop':
      return state.phase === 'before' ? none : state.blocks.stop(frame)
    case 'message_delta':
      return readMessageDelta(state, frame)
    case 'message_stop':
      return stopMessage(state)
    default:
      return none
  }
}

function parseFrame(data: string): JsonValue | undefined {
  try {
    return parseJson(data)
  } catch {
    return undefined
  }
}

/** Blocks may come only between the message's start and its stop reason. */
function demandOpen(state: ReaderState): StreamBlockReader {
  if (state.phase === 'open') return state.blocks
  throw new GatewayError('upstream_bad_response', {
    message: `its stream holds a block ${state.phase === 'before' ? 'before its start' : 'after its end'}.`,
  })
}

function startMessage(state: ReaderState, value: JsonValue | undefined): readonly ReplyEvent[] {
  // A relay that repeats itself does no harm.
  if (state.phase !== 'before') return none
  const message = isJsonObject(value) ? value : {}
  const { extras, choiceFields, serviceTier } = readMessageExtras(message)
  state.phase = 'open'
  state.choiceFields = choiceFields
  state.usage = joinUsage({}, message['usage'])
  return [
    {
      type: 'reply-start',
      id: typeof message['id'] === 'string' ? message['id'] : '',
      model: typeof message['model'] === 'string' ? message['model'] : '',
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(extras === undefined ? {} : { extras }),
    },
    ...usageEvents(message['usage'], state.usage),
  ]
}

function readMessageDelta(state: ReaderState, frame: JsonObject): readonly ReplyEvent[] {
  if (state.phase === 'before') throw new GatewayError('upstream_bad_response')
  const delta = isJsonObject(frame['delta']) ? frame['delta'] : {}
  const { stop_details: stopDetails, ...others } = delta
  if ((stopDetails ?? undefined) !== undefined) state.choiceFields = { stop_details: stopDetails }
  state.endFields.add(leftoversOf(others, messageDeltaFields))
  state.endFields.add(readEndFields(state, frame))
  const events = usageEvents(frame['usage'], state.usage)
  const { stopReason } = readStopReason(delta['stop_reason'])
  if (stopReason === undefined || state.phase !== 'open') return events
  return [...events, ...endChoice(state, delta)]
}

/** The event's own fields, and those of the usage, which is joined on the way. */
function readEndFields(state: ReaderState, frame: JsonObject): JsonObject {
  state.usage = joinUsage(state.usage, frame['usage'])
  const usage = isJsonObject(frame['usage']) ? frame['usage'] : {}
  state.serviceTier = readServedTier('messages', usage['service_tier']) ?? state.serviceTier
  const isMore = leftoversOf(usage, usageFields) !== undefined
  const leftovers = isMore ? leftoversOf(state.usage, usageFields) : undefined
  return readExtras(frame, messageDeltaEventFields, { usage: leftovers }).extras?.fields ?? {}
}

function usageEvents(named: JsonValue | undefined, joined: JsonObject): readonly ReplyEvent[] {
  const usage = isJsonObject(named) ? readUsage(joined) : undefined
  return usage === undefined ? none : [{ type: 'usage', usage }]
}

function endChoice(state: ReaderState, delta: JsonObject): readonly ReplyEvent[] {
  const { stopReason, more } = readStopReason(delta['stop_reason'])
  const stopSequence = delta['stop_sequence']
  state.phase = 'finished'
  return [
    ...state.blocks.endAll(),
    {
      type: 'choice-end',
      choice: 0,
      ...(stopReason === undefined ? {} : { stopReason }),
      ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
      ...createExtras({ ...state.choiceFields, ...more }),
    },
  ]
}

function stopMessage(state: ReaderState): readonly ReplyEvent[] {
  const isEmpty = state.phase === 'open' && !state.hasContent
  if (state.phase === 'before' || isEmpty) return fail(state, createFailure('upstream_empty'))
  const ended = state.phase === 'open' ? endChoice(state, {}) : none
  return [...ended, ...endReply(state)]
}

function endReply(state: ReaderState): readonly ReplyEvent[] {
  state.phase = 'over'
  const { serviceTier } = state
  return [
    {
      type: 'reply-end',
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...createExtras(state.endFields.fields),
    },
  ]
}

function fail(state: ReaderState, failure: Failure): readonly ReplyEvent[] {
  state.phase = 'over'
  return [{ type: 'failure', failure }]
}

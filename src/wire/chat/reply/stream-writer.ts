import type { Extras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { writeDataFrame } from '../../../kit/sse/write-data-frame.ts'
import { writeErrorEvent } from '../../errors/write-error.ts'
import { addCost } from '../../fields/add-cost.ts'
import { joinFields, loseExtras } from '../../fields/extras.ts'
import { eventUsagePath, terminator } from '../../openai/format-frames.ts'
import { writeUsage } from '../../openai/values/write-usage.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import { writeServedTier } from '../../served-tier.ts'
import { createDeltaWriter, type DeltaPiece, type DeltaWriter } from './delta-writer.ts'

interface WriterState {
  readonly options: StreamWriterOptions
  readonly losses: LossList
  readonly deltas: DeltaWriter
  /** The fields with which every chunk begins. */
  head: JsonObject
  /** Fields of the answer that only the first chunk carries. */
  firstFields: JsonObject | undefined
  /** Parts of usage that only this format has; they are written with the usage. */
  usageFields: JsonObject
  readonly emittedRoles: Set<number>
  usage: Usage | undefined
  /** The usage in this format's own fields, where the provider sent it. */
  statedUsage: JsonObject | undefined
}

/**
 * Writes a stream in the official order: the role, the pieces, a finish reason, usage for callers that asked for it,
 * and `[DONE]`.
 */
export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const losses = createLossList()
  const state: WriterState = {
    options,
    losses,
    deltas: createDeltaWriter(losses, { ...options, isStream: true }),
    head: {},
    firstFields: undefined,
    usageFields: {},
    emittedRoles: new Set(),
    usage: undefined,
    statedUsage: undefined,
  }
  return {
    push: (event) => writeEvent(state, event),
    losses: losses.all,
  }
}

function writeEvent(state: WriterState, event: ReplyEvent): string {
  switch (event.type) {
    case 'reply-start':
      readStart(state, event)
      return ''
    case 'usage':
      state.usage = event.usage
      state.statedUsage = event.stated?.format === 'chat' ? event.stated.fields : undefined
      return ''
    case 'reply-end':
      return writeEnd(state, event)
    case 'failure':
      return writeErrorEvent(event.failure)
    default: {
      const piece = state.deltas.push(event)
      if (piece?.before === undefined) return piece === undefined ? '' : writePiece(state, piece)
      const before = writePiece(state, { choice: piece.choice, delta: piece.before })
      return before + writePiece(state, piece)
    }
  }
}

function readStart(state: WriterState, start: Extract<ReplyEvent, { readonly type: 'reply-start' }>): void {
  const { id, model, createdAtSeconds, serviceTier } = start
  state.head = omitUndefined({
    id: id === '' ? `chatcmpl-${state.options.requestId}` : id,
    object: 'chat.completion.chunk',
    created: createdAtSeconds ?? 0,
    model,
    service_tier: writeServedTier('chat', serviceTier, state.losses),
  })
  state.firstFields = ownFieldsOf(state, start.extras)
}

/** Returns the fields of the answer that only this format has, without those of usage. */
function ownFieldsOf(state: WriterState, extras: Extras | undefined): JsonObject {
  if (extras === undefined) return {}
  if (extras.format !== 'chat') {
    loseExtras(extras, { losses: state.losses, path: '' })
    return {}
  }
  const { usage, ...fields } = extras.fields
  if (usage !== undefined) state.usageFields = { usage }
  return fields
}

function writePiece(state: WriterState, piece: DeltaPiece): string {
  if (state.emittedRoles.has(piece.choice)) return writeChunk(state, piece)
  state.emittedRoles.add(piece.choice)
  const content = beginsWithText(piece) ? '' : null
  const role = writeChunk(state, { choice: piece.choice, delta: { role: 'assistant', content } })
  return role + writeChunk(state, piece)
}

/**
 * Tells whether a message begins with text, or is empty. Clients take the empty text beside the role as the start of a
 * text, so a message that begins with reasoning or a call has none, as at OpenAI.
 */
function beginsWithText({ delta, finishReason }: DeltaPiece): boolean {
  return finishReason !== undefined || delta['content'] !== undefined
}

function writeChunk(state: WriterState, { choice, delta, logprobs, finishReason, more }: DeltaPiece): string {
  const { isSparse, streamUsage } = state.options
  const finish_reason = finishReason ?? null
  const written: JsonObject =
    isSparse && logprobs === undefined
      ? { index: choice, delta, finish_reason }
      : { index: choice, delta, logprobs: logprobs ?? null, finish_reason }
  const choices = [more === undefined ? written : joinFields(written, more)]
  const chunk: JsonObject =
    streamUsage && !isSparse ? { ...state.head, choices, usage: null } : { ...state.head, choices }
  const fields = state.firstFields
  state.firstFields = undefined
  return writeDataFrame(fields === undefined ? chunk : joinFields(chunk, fields))
}

/**
 * Writes the usage chunk, the only chunk after the finish reasons. It contains the fields that are known only at the
 * end.
 */
function writeEnd(state: WriterState, end: Extract<ReplyEvent, { readonly type: 'reply-end' }>): string {
  const fields = ownFieldsOf(state, end.extras)
  const { head, usage, options, losses } = state
  const tier = writeServedTier('chat', end.serviceTier, losses)
  if (!options.streamUsage || usage === undefined) {
    if (tier !== undefined && tier !== head['service_tier']) losses.lose('service-tier', 'dropped')
    loseExtras({ format: 'chat', fields }, { losses, path: '' })
    return terminator
  }
  const chunk = {
    ...head,
    choices: [],
    usage: state.statedUsage ?? writeUsage(usage, losses),
    ...(tier === undefined ? {} : { service_tier: tier }),
  }
  const joined = joinFields(joinFields(chunk, state.usageFields), fields)
  return writeDataFrame(addCost(joined, eventUsagePath, end.cost)) + terminator
}

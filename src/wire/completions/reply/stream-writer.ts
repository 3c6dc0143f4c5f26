import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeDataFrame } from '../../../kit/sse/write-data-frame.ts'
import { writeErrorEvent } from '../../errors/write-error.ts'
import { addCost } from '../../fields/add-cost.ts'
import { joinFields, loseExtras } from '../../fields/extras.ts'
import { eventUsagePath, terminator } from '../../openai/format-frames.ts'
import { writeUsage } from '../../openai/values/write-usage.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import { ownFields } from '../request/own-fields.ts'
import { createTextWriter, type TextPiece, type TextWriter } from './text-writer.ts'
import { writeChoice } from './write-reply.ts'

interface WriterState {
  readonly options: StreamWriterOptions
  readonly losses: LossList
  readonly texts: TextWriter
  /** The fields of every chunk besides its choice. */
  head: JsonObject
  /** Parts of usage that only this format has; they are written with the usage. */
  usageFields: JsonObject
  usage: Usage | undefined
}

/**
 * Writes a stream in the official order: pieces of text, a finish reason, usage for callers that asked for it, and
 * `[DONE]`.
 */
export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const losses = createLossList()
  const state: WriterState = {
    options,
    losses,
    texts: createTextWriter(losses),
    head: {},
    usageFields: {},
    usage: undefined,
  }
  return { push: (event) => writeEvent(state, event), losses: losses.all }
}

function writeEvent(state: WriterState, event: ReplyEvent): string {
  switch (event.type) {
    case 'reply-start':
      readStart(state, event)
      return ''
    case 'usage':
      state.usage = event.usage
      return ''
    case 'reply-end':
      return writeEnd(state, event)
    case 'failure':
      return writeErrorEvent(event.failure)
    default: {
      const piece = state.texts.push(event)
      return piece === undefined ? '' : writeChunk(state, piece)
    }
  }
}

function readStart(state: WriterState, start: Extract<ReplyEvent, { readonly type: 'reply-start' }>): void {
  const { id, model, createdAtSeconds, serviceTier } = start
  if (serviceTier !== undefined) state.losses.lose('service-tier', 'dropped')
  const { usage, ...fields } = ownFields(start.extras, state.losses)
  if (usage !== undefined) state.usageFields = { usage }
  const head = {
    id: id === '' ? `cmpl-${state.options.requestId}` : id,
    object: 'text_completion',
    created: createdAtSeconds ?? 0,
    model,
  }
  state.head = joinFields(head, fields)
}

function writeChunk({ head, options }: WriterState, piece: TextPiece): string {
  const choices = [writeChoice(piece)]
  return writeDataFrame(options.streamUsage ? { ...head, choices, usage: null } : { ...head, choices })
}

/**
 * Writes the usage chunk, the only chunk after the finish reasons. It contains the fields that are known only at the
 * end.
 */
function writeEnd(state: WriterState, end: Extract<ReplyEvent, { readonly type: 'reply-end' }>): string {
  const { usage, options, losses } = state
  if (end.serviceTier !== undefined) losses.lose('service-tier', 'dropped')
  const fields = ownFields(end.extras, losses)
  if (!options.streamUsage || usage === undefined) {
    loseExtras({ format: 'completions', fields }, { losses, path: '' })
    return terminator
  }
  const chunk = { ...state.head, choices: [], usage: writeUsage(usage, losses) }
  const joined = joinFields(joinFields(chunk, state.usageFields), fields)
  return writeDataFrame(addCost(joined, eventUsagePath, end.cost)) + terminator
}

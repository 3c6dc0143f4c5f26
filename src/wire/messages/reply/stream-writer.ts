import type { Extras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import { isOfChoice, type ReplyEvent } from '../../../canonical/reply-event.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'
import { addCost } from '../../fields/add-cost.ts'
import { joinFields } from '../../fields/extras.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import { writeServedTier } from '../../served-tier.ts'
import type { UsagePath } from '../../wire-format.ts'
import { writeErrorEvent } from '../errors/write-error.ts'
import { writeStop } from '../request/write-stop.ts'
import { withExtras } from '../values/extras.ts'
import { withoutSummaries, writeDeltaUsage, writeUsage } from '../values/write-usage.ts'
import { createStreamBlockWriter, type StreamBlockWriter } from './block-writer.ts'
import { writeMessageHead } from './write-message-head.ts'

type ReplyStart = Extract<ReplyEvent, { readonly type: 'reply-start' }>
type ChoiceEnd = Extract<ReplyEvent, { readonly type: 'choice-end' }>
type ReplyEnd = Extract<ReplyEvent, { readonly type: 'reply-end' }>

interface WriterState {
  readonly losses: LossList
  readonly blocks: StreamBlockWriter
  usage: Usage | undefined
  choiceEnd: ChoiceEnd | undefined
  startExtras: Extras | undefined
  isOver: boolean
}

/**
 * Writes a streamed answer for a caller. Usage and the stop reason are sent together at the end, since the chat format
 * sends usage last. The counters at the start are zero, because one client adds them to the final counters.
 */
export function createStreamWriter({ requestId }: StreamWriterOptions): StreamWriter {
  const losses = createLossList()
  const state: WriterState = {
    losses,
    blocks: createStreamBlockWriter(losses),
    usage: undefined,
    choiceEnd: undefined,
    startExtras: undefined,
    isOver: false,
  }
  return {
    push: (event) => (state.isOver ? '' : writeEvent(state, event, requestId)),
    losses: losses.all,
  }
}

function writeEvent(state: WriterState, event: ReplyEvent, requestId: string): string {
  if (isOfChoice(event) && event.choice > 0) {
    state.losses.lose('choices', 'dropped')
    return ''
  }
  switch (event.type) {
    case 'reply-start':
      state.startExtras = event.extras
      return writeStart(state, event)
    case 'block-start':
    case 'text-delta':
    case 'signature-delta':
    case 'citation-delta':
    case 'tool-input-delta':
    case 'audio-delta':
    case 'block-end':
      return state.blocks.push(event)
    case 'logprobs-delta':
      state.losses.lose('logprobs', 'dropped')
      return ''
    case 'choice-end':
      state.choiceEnd = event
      return state.blocks.stopAll()
    case 'usage':
      state.usage = event.usage
      return ''
    case 'reply-end':
      return writeEnd(state, event)
    case 'failure':
      state.isOver = true
      return writeErrorEvent(event.failure, requestId)
    default:
      return unreachable(event)
  }
}

function writeStart({ losses }: WriterState, start: ReplyStart): string {
  const message = {
    ...writeMessageHead(start),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...writeUsage(noUsage, losses), ...writeTier(start, losses) },
  }
  const whole = withExtras(message, start.extras, { losses, path: '' })
  return writeNamedFrame('message_start', { type: 'message_start', message: whole })
}

function writeEnd(state: WriterState, end: ReplyEnd): string {
  state.isOver = true
  const { losses, blocks, usage, choiceEnd } = state
  const stopped = blocks.stopAll()
  const { container = null, ...fields } = withExtras({}, end.extras, { losses, path: '' })
  const frame: JsonObject = {
    type: 'message_delta',
    delta: { ...writeStop(choiceEnd ?? {}, blocks.inspection, losses), container },
    usage: {
      ...writeDeltaUsage(withoutSummaries(usage, end.extras, state.startExtras), losses),
      ...writeTier(end, losses),
    },
  }
  const priced = addCost(joinFields(frame, fields), eventUsagePath, end.cost)
  return `${stopped}${writeNamedFrame('message_delta', priced)}${terminator}`
}

function writeTier({ serviceTier }: ReplyStart | ReplyEnd, losses: LossList): JsonObject {
  const tier = writeServedTier('messages', serviceTier, losses)
  return tier === undefined ? {} : { service_tier: tier }
}

/** The frame that ends a complete stream. */
export const terminator = writeNamedFrame('message_stop', { type: 'message_stop' })

/** The path of the usage in the event that ends a stream. */
export const eventUsagePath: UsagePath = ['usage']

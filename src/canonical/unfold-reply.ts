import type { JsonValue } from '../kit/json/json.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import type { AssistantBlock } from './content.ts'
import type { Choice, LogProbs, Reply } from './reply.ts'
import type { BlockStart, ReplyEvent } from './reply-event.ts'

/**
 * Replays a whole answer as a stream. `foldReply` returns every answer in normal form unchanged. In normal form, no
 * optional field is present as `undefined`, no list of citations is empty, and no block has a cache mark, since marks
 * belong to requests.
 */
export function unfoldReply(reply: Reply): readonly ReplyEvent[] {
  const { id, model, createdAtSeconds, serviceTier, usage, extras } = reply
  const events: ReplyEvent[] = [
    {
      type: 'reply-start',
      id,
      model,
      ...(createdAtSeconds === undefined ? {} : { createdAtSeconds }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(extras === undefined ? {} : { extras }),
    },
  ]
  for (const [index, choice] of reply.choices.entries()) pushChoice(events, index, choice)
  if (usage !== undefined) events.push({ type: 'usage', usage })
  events.push({ type: 'reply-end' })
  return events
}

function pushChoice(events: ReplyEvent[], index: number, choice: Choice): void {
  const { content, stopReason, stopSequence, logprobs, extras } = choice
  for (const [number, block] of content.entries()) {
    const position = { choice: index, block: number }
    const isUnsigned = block.type === 'thinking' && block.signature === undefined
    const start = startOfBlock(block)
    events.push({ type: 'block-start', ...position, start, ...(isUnsigned ? { isUnsigned } : {}) })
    pushDeltas(events, position, block)
    events.push({ type: 'block-end', ...position })
  }
  for (const part of logprobs === undefined ? [] : cutLogprobs(logprobs))
    events.push({ type: 'logprobs-delta', choice: index, logprobs: part })
  events.push({
    type: 'choice-end',
    choice: index,
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(stopSequence === undefined ? {} : { stopSequence }),
    ...(extras === undefined ? {} : { extras }),
  })
}

/**
 * The number of log probabilities in one event. Those of a long answer take long to write, so they are written event
 * by event.
 */
const LOGPROBS_OF_EVENT = 1_000

function cutLogprobs(logprobs: LogProbs): readonly LogProbs[] {
  const { content, refusal } = logprobs
  const count = Math.max(content?.length ?? 0, refusal?.length ?? 0)
  if (count <= LOGPROBS_OF_EVENT) return [logprobs]
  return Array.from({ length: Math.ceil(count / LOGPROBS_OF_EVENT) }, (_, index) =>
    omitUndefined({ content: partOf(content, index), refusal: partOf(refusal, index) }),
  )
}

/**
 * Returns one part of the list. Undefined where the list has no such part. The first part of an empty list is an
 * empty list.
 */
function partOf(list: readonly JsonValue[] | undefined, index: number): readonly JsonValue[] | undefined {
  const from = index * LOGPROBS_OF_EVENT
  return index > 0 && from >= (list?.length ?? 0) ? undefined : list?.slice(from, from + LOGPROBS_OF_EVENT)
}

/** The start of a block whose content follows in deltas. A block of a kind without deltas is its own start. */
export function startOfBlock(block: AssistantBlock): BlockStart {
  const extras = 'extras' in block && block.extras !== undefined ? { extras: block.extras } : {}
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return { type: block.type, ...extras }
    case 'tool-call':
      return { type: block.type, id: block.id, name: block.name, kind: block.kind, ...extras }
    case 'audio':
      return {
        type: block.type,
        ...(block.id === undefined ? {} : { id: block.id }),
        ...(block.encoding === undefined ? {} : { encoding: block.encoding }),
        ...extras,
      }
    default:
      return block
  }
}

function pushDeltas(
  events: ReplyEvent[],
  position: { readonly choice: number; readonly block: number },
  block: AssistantBlock,
): void {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      if (block.text !== '') events.push({ type: 'text-delta', ...position, text: block.text })
      break
    case 'tool-call':
      if (block.input !== '') events.push({ type: 'tool-input-delta', ...position, text: block.input })
      break
    case 'audio': {
      const { data, transcript, expiresAtSeconds } = block
      const parts = {
        ...(data === undefined ? {} : { data }),
        ...(transcript === undefined ? {} : { transcript }),
        ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
      }
      if (Object.keys(parts).length > 0) events.push({ type: 'audio-delta', ...position, ...parts })
      break
    }
    default:
      break
  }
  if (block.type === 'thinking' && block.signature !== undefined) {
    events.push({ type: 'signature-delta', ...position, signature: block.signature })
  }
  if (block.type !== 'text') return
  for (const citation of block.citations ?? []) events.push({ type: 'citation-delta', ...position, citation })
}

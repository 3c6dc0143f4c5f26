import type { Citation, ThinkingBlock } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readMediaUrl } from '../../fields/read-media-url.ts'
import { thinkingTextOf } from '../request/read-part.ts'
import { toExtras } from '../values/extras.ts'
import { readAnnotations } from '../values/read-citation.ts'
import { blockOfDetail, type ReasoningDetail, readReasoningDetails } from '../values/reasoning-details.ts'
import {
  type ChoiceState,
  endBlock,
  type OpenBlock,
  type ReaderState,
  startBlock,
  startUnsigned,
} from './reader-state.ts'

/** Words of the answer, going on with the open block where it is of the same kind. */
export function takeText(
  state: ReaderState,
  choice: ChoiceState,
  { type, text }: { readonly type: 'text' | 'refusal'; readonly text: JsonValue | undefined },
): void {
  if (typeof text !== 'string' || text === '') return
  const open = choice.open?.type === type ? choice.open : openWords(type, startBlock(state, choice, { type }))
  choice.open = open
  if (type === 'text') emitCitations(state, choice)
  state.events.push({ type: 'text-delta', choice: choice.index, block: open.block, text })
}

/** Content as a string, or as Mistral's list of text, thinking and reference parts. */
export function takeContent(state: ReaderState, choice: ChoiceState, content: JsonValue | undefined): void {
  if (!isJsonArray(content)) {
    takeText(state, choice, { type: 'text', text: content })
    return
  }
  for (const part of content) {
    if (isJsonObject(part)) takePart(state, choice, part)
    else takeText(state, choice, { type: 'text', text: part })
  }
}

function takePart(state: ReaderState, choice: ChoiceState, part: JsonObject): void {
  switch (part['type']) {
    case 'text':
      takeText(state, choice, { type: 'text', text: part['text'] })
      return
    case 'refusal':
      takeText(state, choice, { type: 'refusal', text: part['refusal'] })
      return
    case 'thinking':
      takePlainThinking(state, choice, thinkingTextOf(part['thinking']) ?? '')
      return
    case 'reference': {
      takeCitations(state, choice, [toExtras(part)])
      return
    }
    case 'image_url':
      takeImage(state, choice, part)
      return
    default:
      endBlock(state, choice, startBlock(state, choice, { type: 'opaque', format: 'chat', value: part }))
  }
}

/** Reasoning under any of its three names; details stand before the plain text of the same words. */
export function takeReasoning(state: ReaderState, choice: ChoiceState, delta: JsonObject): void {
  const value = delta['reasoning_details']
  const details = value === undefined || value === null ? undefined : readReasoningDetails(value)
  if (details !== undefined && details.unread.length > 0) {
    choice.messageExtras.set('reasoning_details', details.unread)
  }
  const hasWords =
    details?.blocks.some(({ block }) => block.type === 'thinking' && block.text !== '') ?? false
  if (!hasWords) {
    const text = delta['reasoning_content'] ?? delta['reasoning']
    if (typeof text === 'string') takePlainThinking(state, choice, text)
  }
  for (const detail of details?.blocks ?? []) takeDetail(state, choice, detail)
}

function takePlainThinking(state: ReaderState, choice: ChoiceState, text: string): void {
  if (text === '') return
  const { open } = choice
  const goesOn = open?.type === 'thinking' && !open.isSigned
  takeThinking(state, choice, {
    block: { type: 'thinking', text },
    open: goesOn ? open : openWords('thinking', startUnsigned(state, choice, { type: 'thinking' })),
  })
}

function takeDetail(state: ReaderState, choice: ChoiceState, { index, block }: ReasoningDetail): void {
  if (block.type === 'redacted-thinking') {
    endBlock(state, choice, startBlock(state, choice, blockOfDetail({ index, block }, choice.detailCount)))
    choice.detailCount += 1
    return
  }
  if (block.text === '' && block.signature === undefined) return
  const open = openDetail(state, choice, { index, block })
  if (!open.isDetailed) choice.detailCount += 1
  open.isDetailed = true
  takeThinking(state, choice, { block, open })
}

/** A signature ends its reasoning, and so does another part's number. */
function openDetail(
  state: ReaderState,
  choice: ChoiceState,
  { index, block }: { readonly index: number | undefined; readonly block: ThinkingBlock },
): OpenBlock {
  const { open } = choice
  const isSamePart = index === undefined || open?.part === undefined || index === open.part
  if (open?.type === 'thinking' && isSamePart && !open.isSigned) return open
  const { extras } = blockOfDetail({ index, block }, choice.detailCount)
  const started = startBlock(state, choice, omitUndefined({ type: 'thinking' as const, extras }))
  return { ...openWords('thinking', started), part: index }
}

function takeThinking(
  state: ReaderState,
  choice: ChoiceState,
  { block, open }: { readonly block: ThinkingBlock; readonly open: OpenBlock },
): void {
  choice.open = open
  const { text, signature } = block
  const at = { choice: choice.index, block: open.block }
  // A signed whole says again what came in pieces.
  const isRepeated = signature !== undefined && text === open.said
  if (text !== '' && !isRepeated) {
    open.said += text
    state.events.push({ type: 'text-delta', ...at, text })
  }
  if (signature !== undefined) {
    open.isSigned = true
    state.events.push({ type: 'signature-delta', ...at, signature })
  }
}

function openWords(type: OpenBlock['type'], block: number): OpenBlock {
  return { type, block, part: undefined, isDetailed: false, isSigned: false, said: '' }
}

/** Sources: of the text that is open, else of the next. Other annotations stay as they came. */
export function takeAnnotations(state: ReaderState, choice: ChoiceState, value: JsonValue | undefined): void {
  const { citations, unread } = readAnnotations(value)
  takeCitations(state, choice, citations)
  if (unread.length === 0) return
  for (const annotation of unread) choice.unreadAnnotations.push(annotation)
  choice.messageExtras.set('annotations', choice.unreadAnnotations)
}

function takeCitations(state: ReaderState, choice: ChoiceState, citations: readonly Citation[]): void {
  if (citations.length === 0) return
  for (const citation of citations) choice.citations.push(citation)
  if (choice.open?.type === 'text') emitCitations(state, choice)
}

function emitCitations(state: ReaderState, choice: ChoiceState): void {
  const block = choice.open?.block
  if (choice.citations.length === 0 || block === undefined) return
  for (const citation of choice.citations) {
    state.events.push({ type: 'citation-delta', choice: choice.index, block, citation })
  }
  choice.citations = []
}

/** Sound comes in pieces of data and of words, beside other blocks. Some servers send it empty with every answer. */
export function takeAudio(state: ReaderState, choice: ChoiceState, value: JsonValue | undefined): void {
  if (!isJsonObject(value)) return
  const { id, data, transcript, expires_at: expiresAt, ...more } = value
  const words = [id, data, transcript].filter((part) => typeof part === 'string' && part !== '')
  if (words.length === 0 && (expiresAt === undefined || choice.audioBlock === undefined)) return
  choice.audioBlock ??= startBlock(
    state,
    choice,
    omitUndefined({
      type: 'audio' as const,
      id: typeof id === 'string' && id !== '' ? id : undefined,
      ...toExtras(more),
    }),
  )
  const parts = omitUndefined({
    data: typeof data === 'string' && data !== '' ? data : undefined,
    transcript: typeof transcript === 'string' && transcript !== '' ? transcript : undefined,
    expiresAtSeconds: typeof expiresAt === 'number' ? expiresAt : undefined,
  })
  if (Object.keys(parts).length === 0) return
  state.events.push({ type: 'audio-delta', choice: choice.index, block: choice.audioBlock, ...parts })
}

/** Generated images, as OpenRouter lists them beside the content. */
export function takeImages(state: ReaderState, choice: ChoiceState, value: JsonValue | undefined): void {
  if (!isJsonArray(value)) return
  for (const item of value) if (isJsonObject(item)) takeImage(state, choice, item)
}

function takeImage(state: ReaderState, choice: ChoiceState, part: JsonObject): void {
  const holder = part['image_url']
  const url = isJsonObject(holder) ? holder['url'] : holder
  if (typeof url !== 'string') {
    endBlock(state, choice, startBlock(state, choice, { type: 'opaque', format: 'chat', value: part }))
    return
  }
  const { type: _type, image_url: _url, ...more } = part
  const inner = isJsonObject(holder) ? holder : {}
  const { url: _address, detail, ...innerMore } = inner
  const image = omitUndefined({
    type: 'image' as const,
    source: readMediaUrl(url),
    detail: typeof detail === 'string' ? detail : undefined,
    ...toExtras(more, { image_url: Object.keys(innerMore).length === 0 ? undefined : innerMore }),
  })
  endBlock(state, choice, startBlock(state, choice, image))
}

import type { Citation, ThinkingBlock } from '../../../canonical/content.ts'
import { createLossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import { filledText } from '../../../kit/json/filled-text.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import { thinkingTextOf } from '../request/read-part.ts'
import { toExtras } from '../values/extras.ts'
import { readCitations } from '../values/read-citation.ts'
import {
  blockOfDetail,
  findReasoningText,
  isShownDetail,
  type ReasoningDetail,
  readReasoningDetails,
} from '../values/reasoning-details.ts'
import { writeCitation } from '../values/write-citation.ts'
import { CallReader } from './call-reader.ts'
import type { EventList } from './event-list.ts'

/** The open text or reasoning block, which continues as long as pieces of its kind arrive. */
interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'refusal'
  readonly block: number
  /** The index of this part, where reasoning comes in several. */
  readonly part: number | undefined
  /** Whether any of the reasoning came as an entry of its details. */
  isDetailed: boolean
  isSigned: boolean
  /** The reasoning text so far. */
  said: string
}

interface BlockReaderInput {
  readonly choice: number
  /** The answer; its ID replaces that of a call without one. */
  readonly reply: { readonly id: string }
  readonly events: EventList
}

/** Reads the message of one choice, whole or in pieces, as blocks. */
export class BlockReader {
  /** Fields of the message that only this format knows. */
  readonly messageExtras = new Map<string, JsonValue>()
  readonly #choice: number
  readonly #events: EventList
  readonly #calls: CallReader
  /** Blocks started so far; the next block's number. */
  #blockCount = 0
  #open: OpenBlock | undefined
  /** Audio continues beside other blocks. */
  #audioBlock: number | undefined
  /** The number of entries of reasoning, pieces of one counted once. */
  #detailCount = 0
  /** Sources named while no text was there to hang them on. */
  #citations: Citation[] = []
  /** Annotations that are no sources, unchanged. */
  readonly #unreadAnnotations: JsonValue[] = []

  constructor({ choice, reply, events }: BlockReaderInput) {
    this.#choice = choice
    this.#events = events
    this.#calls = new CallReader({ choice, reply, events, startBlock: (start) => this.#startBlock(start) })
  }

  get hasCalls(): boolean {
    return this.#calls.count > 0
  }

  get isEmpty(): boolean {
    return this.#blockCount === 0 && !this.hasCalls
  }

  /** Reads the fields of a message in the order of their blocks. */
  read(message: JsonObject, isWhole: boolean): void {
    this.#readReasoning(message)
    this.#readContent(message['content'])
    this.#readAnnotations(message['annotations'])
    this.#readText('refusal', message['refusal'])
    this.#readAudio(message['audio'])
    this.#readImages(message['images'])
    this.#calls.read(message['tool_calls'], isWhole)
    this.#calls.readFunctionCall(message['function_call'])
  }

  end(): void {
    this.#calls.startAll()
    this.#endOpenBlock()
    if (this.#audioBlock !== undefined) this.#endBlock(this.#audioBlock)
    this.#calls.endAll()
    this.#passCitationsOn()
  }

  /** Starts a block; the text before it ends, and so do calls whose input is complete. */
  #startBlock(start: BlockStart, unsigned?: { readonly isUnsigned: true }): number {
    this.#endOpenBlock()
    this.#calls.endComplete()
    const block = this.#blockCount
    this.#blockCount += 1
    this.#events.push({ type: 'block-start', choice: this.#choice, block, start, ...unsigned })
    return block
  }

  #endBlock(block: number): void {
    this.#events.push({ type: 'block-end', choice: this.#choice, block })
  }

  #endOpenBlock(): void {
    if (this.#open === undefined) return
    this.#endBlock(this.#open.block)
    this.#open = undefined
  }

  /** Text of the answer; it continues the open block where that is of the same kind. */
  #readText(type: 'text' | 'refusal', text: JsonValue | undefined): void {
    if (typeof text !== 'string' || text === '') return
    const open = this.#open?.type === type ? this.#open : openWords(type, this.#startBlock({ type }))
    this.#open = open
    if (type === 'text') this.#emitCitations()
    this.#events.push({ type: 'text-delta', choice: this.#choice, block: open.block, text })
  }

  /** Content as a string, or as Mistral's list of text, thinking and reference parts. */
  #readContent(content: JsonValue | undefined): void {
    if (!isJsonArray(content)) {
      this.#readText('text', content)
      return
    }
    for (const part of content) {
      if (isJsonObject(part)) this.#readPart(part)
      else this.#readText('text', part)
    }
  }

  #readPart(part: JsonObject): void {
    switch (part['type']) {
      case 'text':
        this.#readText('text', part['text'])
        return
      case 'refusal':
        this.#readText('refusal', part['refusal'])
        return
      case 'thinking':
        this.#readPlainThinking(thinkingTextOf(part['thinking']) ?? '')
        return
      case 'reference':
        this.#readCitations([toExtras(part)])
        return
      case 'image_url':
        this.#readImage(part)
        return
      default:
        this.#endBlock(this.#startBlock({ type: 'opaque', format: 'chat', value: part }))
    }
  }

  /** Reasoning under any of its three names; details precede the plain text of the same reasoning. */
  #readReasoning(delta: JsonObject): void {
    const { blocks, unread } = readReasoningDetails(delta['reasoning_details'])
    if (unread.length > 0) this.messageExtras.set('reasoning_details', unread)
    if (!blocks.some(isShownDetail)) this.#readPlainThinking(findReasoningText(delta))
    for (const detail of blocks) this.#readDetail(detail)
  }

  #readPlainThinking(text: string): void {
    if (text === '') return
    const isOngoing = this.#open?.type === 'thinking' && !this.#open.isSigned
    const open =
      isOngoing && this.#open !== undefined
        ? this.#open
        : openWords('thinking', this.#startBlock({ type: 'thinking' }, { isUnsigned: true }))
    this.#readThinking({ type: 'thinking', text }, open)
  }

  #readDetail({ index, block }: ReasoningDetail): void {
    if (block.type === 'redacted-thinking') {
      this.#endBlock(this.#startBlock(blockOfDetail({ index, block }, this.#detailCount)))
      this.#detailCount += 1
      return
    }
    if (block.text === '' && block.signature === undefined) return
    const open = this.#openDetail(index, block)
    if (!open.isDetailed) this.#detailCount += 1
    open.isDetailed = true
    this.#readThinking(block, open)
  }

  /** A signature ends its reasoning, as does the number of another part. */
  #openDetail(index: number | undefined, block: ThinkingBlock): OpenBlock {
    const open = this.#open
    const isSamePart = index === undefined || open?.part === undefined || index === open.part
    if (open?.type === 'thinking' && isSamePart && !open.isSigned) return open
    const { extras } = blockOfDetail({ index, block }, this.#detailCount)
    const started = this.#startBlock(omitUndefined({ type: 'thinking' as const, extras }))
    return { ...openWords('thinking', started), part: index }
  }

  #readThinking({ text, signature }: ThinkingBlock, open: OpenBlock): void {
    this.#open = open
    const at = { choice: this.#choice, block: open.block }
    // A signed whole repeats what arrived in pieces.
    const isRepeated = signature !== undefined && text === open.said
    if (text !== '' && !isRepeated) {
      open.said += text
      this.#events.push({ type: 'text-delta', ...at, text })
    }
    if (signature !== undefined) {
      open.isSigned = true
      this.#events.push({ type: 'signature-delta', ...at, signature })
    }
  }

  /** Sources: of the open text, else of the next. Other annotations stay unchanged. */
  #readAnnotations(value: JsonValue | undefined): void {
    const { citations, unread } = readCitations(value)
    this.#readCitations(citations)
    if (unread.length === 0) return
    for (const annotation of unread) this.#unreadAnnotations.push(annotation)
    this.messageExtras.set('annotations', this.#unreadAnnotations)
  }

  #readCitations(citations: readonly Citation[]): void {
    if (citations.length === 0) return
    for (const citation of citations) this.#citations.push(citation)
    if (this.#open?.type === 'text') this.#emitCitations()
  }

  #emitCitations(): void {
    const block = this.#open?.block
    if (this.#citations.length === 0 || block === undefined) return
    for (const citation of this.#citations) {
      this.#events.push({ type: 'citation-delta', choice: this.#choice, block, citation })
    }
    this.#citations = []
  }

  /** Sources without a text stay unchanged. */
  #passCitationsOn(): void {
    if (this.#citations.length === 0) return
    const before = this.messageExtras.get('annotations')
    const unplaced = this.#citations.map(
      (citation) => writeCitation(citation, createLossList()) ?? citation.extras?.fields ?? {},
    )
    this.messageExtras.set('annotations', [...(isJsonArray(before) ? before : []), ...unplaced])
  }

  /** Audio arrives as pieces of data and transcript, beside other blocks. Some servers send it empty each time. */
  #readAudio(value: JsonValue | undefined): void {
    if (!isJsonObject(value)) return
    const { id, data, transcript, expires_at: expiresAt, ...more } = value
    const words = [id, data, transcript].filter((part) => typeof part === 'string' && part !== '')
    if (words.length === 0 && (expiresAt === undefined || this.#audioBlock === undefined)) return
    this.#audioBlock ??= this.#startBlock(
      omitUndefined({ type: 'audio' as const, id: filledText(id), ...toExtras(more) }),
    )
    const parts = omitUndefined({
      data: filledText(data),
      transcript: filledText(transcript),
      expiresAtSeconds: typeof expiresAt === 'number' ? expiresAt : undefined,
    })
    if (Object.keys(parts).length === 0) return
    this.#events.push({ type: 'audio-delta', choice: this.#choice, block: this.#audioBlock, ...parts })
  }

  /** Generated images, as OpenRouter lists them beside the content. */
  #readImages(value: JsonValue | undefined): void {
    if (!isJsonArray(value)) return
    for (const item of value) if (isJsonObject(item)) this.#readImage(item)
  }

  #readImage(part: JsonObject): void {
    this.#endBlock(this.#startBlock(readImage(part)))
  }
}

/** A generated image; a part without one stays unchanged. */
function readImage(part: JsonObject): BlockStart {
  const holder = part['image_url']
  const url = isJsonObject(holder) ? holder['url'] : holder
  if (typeof url !== 'string') return { type: 'opaque', format: 'chat', value: part }
  const { type: _type, image_url: _url, ...more } = part
  const inner = isJsonObject(holder) ? holder : {}
  const { url: _address, detail, ...innerMore } = inner
  return omitUndefined({
    type: 'image' as const,
    source: readMediaUrl(url),
    detail: typeof detail === 'string' ? detail : undefined,
    ...toExtras(more, { image_url: Object.keys(innerMore).length === 0 ? undefined : innerMore }),
  })
}

function openWords(type: OpenBlock['type'], block: number): OpenBlock {
  return { type, block, part: undefined, isDetailed: false, isSigned: false, said: '' }
}

import type { Citation, ThinkingBlock } from '../../../canonical/content.ts'
import { createLossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import { filledText } from '../../../kit/json/filled-text.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { thinkingTextOf } from '../request/read-part.ts'
import { toExtras } from '../values/extras.ts'
import { moveCitation } from '../values/move-citation.ts'
import { readCitations } from '../values/read-citation.ts'
import { readGeneratedImage } from '../values/read-generated-image.ts'
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

/** The open text or reasoning block. It continues as long as pieces of its kind arrive. */
interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'refusal'
  readonly block: number
  /** The position of a text in the content of the message. */
  readonly offset: number
  /** The index of this part of the reasoning, where the server sends several parts. */
  readonly part: number | undefined
  /** Whether any of the reasoning arrived as an entry of `reasoning_details`. */
  isDetailed: boolean
  isSigned: boolean
  /** The reasoning text so far. */
  said: string
}

interface BlockReaderInput {
  readonly choice: number
  /** The answer. A call without an ID gets one that is made from the answer's ID. */
  readonly reply: { readonly id: string }
  readonly events: EventList
}

/** Reads the message of one choice, whole or in pieces, into blocks. */
export class BlockReader {
  /** Fields of the message that only this format has. */
  readonly messageExtras = new Map<string, JsonValue>()
  readonly #choice: number
  readonly #events: EventList
  readonly #calls: CallReader
  /** The number of blocks started so far, which is the next block's number. */
  #blockCount = 0
  #open: OpenBlock | undefined
  /** The length of the message's content so far, in UTF-16 units. */
  #contentLength = 0
  /** The open audio block; it continues while other blocks start and end. */
  #audioBlock: number | undefined
  /** The number of entries of reasoning. Pieces of one entry are counted once. */
  #detailCount = 0
  /** Sources that arrived before any text to attach them to. */
  #citations: Citation[] = []
  /** Annotations that are not sources, unchanged. */
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

  /** Starts a block. The open text block ends, and so do calls whose input is complete. */
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

  /** Reads text of the answer. It continues the open block if both are of the same kind. */
  #readText(type: 'text' | 'refusal', text: JsonValue | undefined): void {
    if (typeof text !== 'string' || text === '') return
    const open = this.#open?.type === type ? this.#open : this.#openText(type)
    this.#open = open
    if (type === 'text') {
      this.#emitCitations()
      this.#contentLength += text.length
    }
    this.#events.push({ type: 'text-delta', choice: this.#choice, block: open.block, text })
  }

  #openText(type: 'text' | 'refusal'): OpenBlock {
    return { ...openWords(type, this.#startBlock({ type })), offset: this.#contentLength }
  }

  /** Reads content: a string, or Mistral's list of text, thinking and reference parts. */
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

  /** Reads reasoning under any of its three names. Details have precedence over plain text of the same reasoning. */
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

  /** Returns the open reasoning block, or starts one. A signature ends a block, and so does another part index. */
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
    const { block } = open
    // An entry that repeats the whole text with its signature adds no text.
    const isRepeated = signature !== undefined && text === open.said
    if (text !== '' && !isRepeated) {
      open.said += text
      this.#events.push({ type: 'text-delta', choice: this.#choice, block, text })
    }
    if (signature !== undefined) {
      open.isSigned = true
      this.#events.push({ type: 'signature-delta', choice: this.#choice, block, signature })
    }
  }

  /**
   * Reads sources and other annotations. Sources belong to the open text block, else to the next one. Other annotations
   * stay unchanged.
   */
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
    if (this.#citations.length === 0 || this.#open === undefined) return
    const { block, offset } = this.#open
    for (const citation of this.#citations) {
      const placed = moveCitation(citation, -offset)
      this.#events.push({ type: 'citation-delta', choice: this.#choice, block, citation: placed })
    }
    this.#citations = []
  }

  /** Adds sources without a text block to the message's annotations. */
  #passCitationsOn(): void {
    if (this.#citations.length === 0) return
    const before = this.messageExtras.get('annotations')
    const unplaced = this.#citations.map(
      (citation) => writeCitation(citation, createLossList()) ?? citation.extras?.fields ?? {},
    )
    this.messageExtras.set('annotations', [...(isJsonArray(before) ? before : []), ...unplaced])
  }

  /** Reads audio, which arrives in pieces while other blocks are open. Some servers send it empty in each chunk. */
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

  /** Reads generated images, which OpenRouter lists next to the content. */
  #readImages(value: JsonValue | undefined): void {
    if (!isJsonArray(value)) return
    for (const item of value) if (isJsonObject(item)) this.#readImage(item)
  }

  #readImage(part: JsonObject): void {
    this.#endBlock(this.#startBlock(readGeneratedImage(part)))
  }
}

function openWords(type: OpenBlock['type'], block: number): OpenBlock {
  return { type, block, offset: 0, part: undefined, isDetailed: false, isSigned: false, said: '' }
}

import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockEvent, BlockStart } from '../../../canonical/reply-event.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { writeThoughtSignature } from '../values/thought-signature.ts'
import { isOwnThought, type WholeBlock, writeOutputPart } from './write-output-part.ts'
import { type SourcedText, writeSources } from './write-sources.ts'

interface OpenBlock {
  readonly start: BlockStart
  text: string
  signature: string | undefined
  readonly citations: Citation[]
  /** Parts that wait until the preceding blocks end. */
  readonly waiting: JsonObject[]
  /** Whether any part of the block was written. */
  isShown: boolean
  isEnded: boolean
}

const none: readonly JsonObject[] = []

/** Writes the blocks of one choice as parts, in the order in which the blocks start. */
export class CandidateWriter {
  hasCall = false
  hasRefusal = false
  readonly #losses: LossList
  readonly #open = new Map<number, OpenBlock>()
  /** The blocks in order, starting with the first block that has not ended. */
  #queue: OpenBlock[] = []
  readonly #texts: SourcedText[] = []
  /** A reasoning signature that the next part will carry. */
  #signature: string | undefined
  #lastRun: Run
  #ready: JsonObject[] = []

  constructor(losses: LossList) {
    this.#losses = losses
  }

  /** Adds an event. Returns the parts that the event completes. */
  push(event: BlockEvent): readonly JsonObject[] {
    if (event.type === 'block-start') this.#start(event.block, event.start)
    else this.#grow(event)
    return this.#drainReady()
  }

  /** Ends all open blocks. Returns the remaining parts. */
  finish(): readonly JsonObject[] {
    for (const block of [...this.#open.keys()]) this.#end(block)
    this.#flushSignature()
    return this.#drainReady()
  }

  /** The fields of the candidate with the sources of its text. */
  get sources(): JsonObject {
    return writeSources(this.#texts, this.#losses)
  }

  #drainReady(): readonly JsonObject[] {
    if (this.#ready.length === 0) return none
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  #start(block: number, start: BlockStart): void {
    const open: OpenBlock = {
      start,
      text: '',
      signature: undefined,
      citations: [],
      waiting: [],
      isShown: false,
      isEnded: false,
    }
    this.#open.set(block, open)
    this.#queue.push(open)
    if (start.type === 'tool-call') this.hasCall = true
    if (start.type === 'refusal') this.hasRefusal = true
    if (start.type !== 'audio') return
    this.#write(open, { type: 'sound', start, data: start.data ?? '' })
    open.text += start.transcript ?? ''
  }

  #grow(event: Exclude<BlockEvent, { readonly type: 'block-start' }>): void {
    const open = this.#open.get(event.block)
    if (open === undefined) return
    switch (event.type) {
      case 'block-end':
        this.#end(event.block)
        return
      case 'text-delta':
        open.text += event.text
        if (event.text !== '' && !isOwnThought(open.start)) this.#emitText(open, event.text)
        return
      case 'tool-input-delta':
        open.text += event.text
        return
      case 'signature-delta':
        open.signature = (open.signature ?? '') + event.signature
        return
      case 'citation-delta':
        open.citations.push(event.citation)
        return
      case 'audio-delta':
        open.text += event.transcript ?? ''
        if (open.start.type === 'audio')
          this.#write(open, { type: 'sound', start: open.start, data: event.data ?? '' })
        return
      default:
        unreachable(event)
    }
  }

  #emitText(open: OpenBlock, text: string): void {
    const { start } = open
    if (start.type === 'text' || start.type === 'thinking' || start.type === 'refusal')
      this.#write(open, { type: 'words', start: open.isShown ? { type: start.type } : start, text })
  }

  #end(block: number): void {
    const open = this.#open.get(block)
    if (open === undefined) return
    this.#open.delete(block)
    this.#writeEnd(open)
    open.isEnded = true
    this.#advance()
  }

  /** The parts of a block that are written once it is complete. */
  #writeEnd(open: OpenBlock): void {
    const { start, text, signature } = open
    switch (start.type) {
      case 'text':
      case 'refusal':
        if (!open.isShown && start.extras !== undefined) this.#emitText(open, '')
        return
      case 'thinking':
        if (isOwnThought(start)) this.#write(open, { type: 'thought', start, text, signature })
        else if (signature !== undefined)
          this.#sign(open, writeThoughtSignature({ ...start, text, signature }))
        return
      case 'redacted-thinking':
        this.#sign(open, writeThoughtSignature(start))
        return
      case 'audio':
        if (text !== '') this.#write(open, { type: 'words', start: { type: 'text' }, text })
        return
      case 'tool-call':
        this.#write(open, { type: 'call', call: { ...start, input: text } })
        return
      case 'image':
      case 'opaque':
        this.#write(open, { type: 'whole', block: start })
        return
      default:
        unreachable(start)
    }
  }

  #sign(open: OpenBlock, signature: string | undefined): void {
    if (signature !== undefined) this.#addPart(open, { thoughtSignature: signature })
  }

  #write(open: OpenBlock, block: WholeBlock): void {
    const part = writeOutputPart(block, this.#losses)
    if (part !== undefined) this.#addPart(open, part)
  }

  #addPart(open: OpenBlock, part: JsonObject): void {
    if (open === this.#queue[0]) this.#emit(open, part)
    else wait(open.waiting, part)
  }

  /** Removes ended blocks from the queue and emits the waiting parts of the blocks after them. */
  #advance(): void {
    while (this.#queue[0]?.isEnded === true) {
      this.#leave(this.#queue[0])
      this.#queue.shift()
      const next = this.#queue[0]
      for (const part of next?.waiting.splice(0) ?? []) if (next !== undefined) this.#emit(next, part)
    }
  }

  #leave({ start, text, citations }: OpenBlock): void {
    if (start.type === 'text') this.#texts.push({ text, citations })
  }

  #emit(open: OpenBlock, part: JsonObject): void {
    const { thoughtSignature } = part
    if (thoughtSignature !== undefined && Object.keys(part).length === 1) {
      this.#flushSignature()
      this.#signature = typeof thoughtSignature === 'string' ? thoughtSignature : undefined
      return
    }
    if (this.#signature !== undefined && !mayCarrySignature(part)) this.#flushSignature()
    const signature = this.#signature
    this.#signature = undefined
    if (!open.isShown && signature === undefined) this.#recordRun(open, part)
    this.#lastRun = runOf(part)
    open.isShown = true
    this.#ready.push(signature === undefined ? part : { ...part, thoughtSignature: signature })
  }

  /** Emits the pending signature as a part of its own. */
  #flushSignature(): void {
    if (this.#signature === undefined) return
    this.#ready.push({ text: '', thoughtSignature: this.#signature })
    this.#signature = undefined
    this.#lastRun = undefined
  }

  /** Declares a loss if this block merges with the one before it, since a reader cannot separate the two. */
  #recordRun({ start }: OpenBlock, part: JsonObject): void {
    const hasExtras = 'extras' in start && start.extras !== undefined
    const run = runOf(part)
    if (run !== undefined && run === this.#lastRun && !hasExtras) {
      this.#losses.lose('block-order', 'approximated')
    }
  }
}

/** Adds a waiting part. Deltas of the same text are joined, since all waiting parts are written at once. */
function wait(waiting: JsonObject[], part: JsonObject): void {
  const last = waiting.at(-1)
  const [before, more] = [last?.['text'], part['text']]
  const isSame = runOf(last ?? {}) === runOf(part) && hasWordsAlone(last ?? {}) && hasWordsAlone(part)
  if (isSame && typeof before === 'string' && typeof more === 'string')
    waiting[waiting.length - 1] = { ...last, text: before + more }
  else waiting.push(part)
}

function hasWordsAlone(part: JsonObject): boolean {
  return Object.keys(part).every((name) => name === 'text' || name === 'thought')
}

/** Whether a signature on the part is read as a block of its own. Thoughts and provider-run tools keep theirs. */
function mayCarrySignature(part: JsonObject): boolean {
  const { text, thought, functionCall, inlineData, fileData, thoughtSignature } = part
  if (thought === true || thoughtSignature !== undefined) return false
  return [text, functionCall, inlineData, fileData].some((said) => said !== undefined)
}

type Run = 'text' | 'thinking' | 'sound' | undefined

/** The kind of a part that a reader joins with a preceding part of the same kind. */
function runOf({ text, thought, thoughtSignature, inlineData }: JsonObject): Run {
  if (thoughtSignature !== undefined) return undefined
  if (typeof text === 'string') return thought === true ? 'thinking' : 'text'
  const isSound = isJsonObject(inlineData) && scalarText(inlineData['mimeType']).startsWith('audio/')
  return isSound ? 'sound' : undefined
}

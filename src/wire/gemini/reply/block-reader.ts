import type { AssistantBlock } from '../../../canonical/content.ts'
import { type Failure, GatewayError } from '../../../canonical/failure.ts'
import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { NamedValues } from '../../../kit/json/named-values.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import type { CallIds } from '../request/call-ids.ts'
import { readModelPart } from '../request/read-content.ts'
import { toExtras } from '../values/extras.ts'
import { readCitations } from '../values/read-citation.ts'
import { findAbnormalEnd, finishWordOf, readStopReason } from '../values/stop-reason.ts'
import { readThoughtSignature } from '../values/thought-signature.ts'
import { Base64Joiner } from './base64-joiner.ts'
import { PartialCall } from './partial-call.ts'
import { readLogprobs } from './read-logprobs.ts'
import { candidateFields } from './reply-fields.ts'

/** An open block, which the next part may continue. */
interface Run {
  readonly type: 'text' | 'thinking'
  readonly block: number
  text: string
}

interface SoundRun {
  readonly type: 'audio'
  readonly block: number
  readonly encoding: string
  readonly joiner: Base64Joiner
}

type BlockOf<Type extends AssistantBlock['type']> = Extract<AssistantBlock, { readonly type: Type }>

const knownCandidate = knownFields(candidateFields)

/** Reads the parts of one candidate into blocks as the parts arrive. The reader adds its events to `events`. */
export class BlockReader {
  /** The provider's finish reason so far. */
  finishWord: string | undefined
  readonly #choice: number
  readonly #callIds: CallIds
  readonly #events: ReplyEvent[]
  #blocks = 0
  #run: Run | SoundRun | undefined
  #partial: PartialCall | undefined
  /** The signature of a part with nothing but a signature. It is emitted after the sources of the preceding text. */
  #held: AssistantBlock | undefined
  #hasCall = false
  readonly #leftovers = new NamedValues()
  readonly #grounding = new NamedValues()
  readonly #recitation = new NamedValues()

  constructor(choice: number, callIds: CallIds, events: ReplyEvent[]) {
    this.#choice = choice
    this.#callIds = callIds
    this.#events = events
  }

  /**
   * Reads a candidate. Returns a failure if the service broke it off. Throws `GatewayError` on an unreadable part.
   * Parts may follow a finish reason: some servers state one in every chunk
   * (https://github.com/router-for-me/CLIProxyAPI/issues/5651, https://github.com/BerriAI/litellm/issues/2195).
   */
  read(candidate: JsonObject, chunk: JsonObject): Failure | undefined {
    const { content } = candidate
    const parts = isJsonObject(content) && isJsonArray(content['parts']) ? content['parts'] : []
    for (const part of parts) if (isJsonObject(part)) this.#readPart(part, chunk)
    this.#readRecords(candidate)
    const word = finishWordOf(candidate['finishReason'])
    if (word === undefined) return undefined
    if (word !== 'STOP') this.finishWord = word
    this.finishWord ??= word
    return findAbnormalEnd(candidate)
  }

  /** Ends the candidate at the end of the answer. */
  finish(): void {
    const { finishWord: word = '' } = this
    const rest = this.#cite()
    if (readStopReason(word, true).stopReason !== 'tool-calls') this.#partial?.cut()
    this.#endOpen()
    const { stopReason, extraFields } = readStopReason(word, this.#hasCall)
    this.#events.push({
      type: 'choice-end',
      choice: this.#choice,
      stopReason,
      ...toExtras(this.#leftovers.fields, { ...rest, ...extraFields }),
    })
  }

  #readRecords(candidate: JsonObject): void {
    const leftovers = leftoversOf(candidate, knownCandidate)
    this.#leftovers.add(leftovers)
    const { groundingMetadata: grounding, citationMetadata: recitation, logprobsResult } = candidate
    if (isJsonObject(grounding)) this.#grounding.add(grounding)
    if (isJsonObject(recitation)) this.#recitation.add(recitation)
    const logprobs = readLogprobs(logprobsResult)
    if (logprobs !== undefined) this.#events.push({ type: 'logprobs-delta', choice: this.#choice, logprobs })
  }

  #readPart(part: JsonObject, chunk: JsonObject): void {
    const call = part['functionCall'] ?? part['function_call']
    if (isJsonObject(call) && isPiece(call)) {
      this.#readPiece(call, part, chunk)
      return
    }
    const blocks = readModelPart(part, 'parts', () => '')
    const [first] = blocks
    if (blocks.length === 1 && first?.type === 'redacted-thinking') {
      this.#emitHeld()
      this.#held = first
      return
    }
    const last = blocks.at(-1)
    if (first?.type === 'redacted-thinking' && last?.type === 'tool-call')
      this.#readSigned(first, last, chunk)
    else for (const block of blocks) this.#readBlock(block, chunk)
  }

  /** The signature of a function call names the call, for formats that keep calls apart from reasoning. */
  #readSigned(signature: BlockOf<'redacted-thinking'>, call: BlockOf<'tool-call'>, chunk: JsonObject): void {
    const id = this.#callIds.assign(call.id, chunk)
    this.#hasCall = true
    this.#emit(nameCall(signature, id))
    this.#emit({ ...call, id })
  }

  #readBlock(block: AssistantBlock, chunk: JsonObject): void {
    switch (block.type) {
      case 'text':
        if (block.text !== '' || block.extras !== undefined) this.#emitText(this.#openRun(block), block.text)
        return
      case 'thinking':
        if (block.signature !== undefined || block.extras !== undefined) this.#emit(block)
        else if (block.text !== '') this.#emitText(this.#openRun(block), block.text)
        return
      case 'audio':
        this.#readAudio(block)
        return
      case 'tool-call':
        this.#hasCall = true
        this.#emit({ ...block, id: this.#callIds.assign(block.id, chunk) })
        return
      default:
        this.#emit(block)
    }
  }

  #emitText(run: Run, text: string): void {
    if (text === '') return
    run.text += text
    const last = this.#events.at(-1)
    const goesOn = last?.type === 'text-delta' && last.choice === this.#choice && last.block === run.block
    // All parts of a chunk become one event, because each event becomes a frame and the provider sets the part count.
    if (goesOn) this.#events[this.#events.length - 1] = { ...last, text: last.text + text }
    else this.#events.push({ type: 'text-delta', choice: this.#choice, block: run.block, text })
  }

  #openRun({ type, extras }: BlockOf<'text' | 'thinking'>): Run {
    const open = this.#run
    const goesOn = extras === undefined && this.#held === undefined && this.#partial === undefined
    if (open !== undefined && open.type === type && goesOn) return open
    this.#endOpen()
    const run: Run = { type, block: this.#start({ type, ...omitUndefined({ extras }) }), text: '' }
    this.#run = run
    return run
  }

  /** Audio arrives in chunks. Each chunk is a separate base64 text. */
  #readAudio({ encoding = '', data = '', extras }: BlockOf<'audio'>): void {
    let run = this.#run
    if (run?.type !== 'audio' || run.encoding !== encoding || extras !== undefined) {
      this.#endOpen()
      const block = this.#start({ type: 'audio', encoding, ...omitUndefined({ extras }) })
      run = { type: 'audio', block, encoding, joiner: new Base64Joiner() }
      this.#run = run
    }
    this.#sound(run.block, run.joiner.push(data))
  }

  #sound(block: number, data: string): void {
    if (data !== '') this.#events.push({ type: 'audio-delta', choice: this.#choice, block, data })
  }

  #readPiece(call: JsonObject, part: JsonObject, chunk: JsonObject): void {
    const { name } = call
    if (typeof name === 'string' && name !== '') {
      this.#endOpen()
      const id = this.#callIds.assign(call['id'], chunk)
      const signature = part['thoughtSignature']
      if (typeof signature === 'string' && signature !== '')
        this.#emit(nameCall(readThoughtSignature(signature), id))
      this.#partial = new PartialCall(id, name)
    }
    if (this.#partial === undefined) throw unreadable('a call of a function without its name')
    this.#readArguments(this.#partial, call)
    if (call['willContinue'] !== true) this.#endPartial()
  }

  #readArguments(partial: PartialCall, call: JsonObject): void {
    if (!partial.add(call['partialArgs'])) throw unreadable('a piece of a call’s arguments without a place')
  }

  #endPartial(): void {
    const partial = this.#partial
    this.#partial = undefined
    if (partial === undefined) return
    this.#hasCall = true
    const { id, name, input } = partial
    this.#emit({ type: 'tool-call', id, name, kind: 'function', input })
  }

  #endOpen(): void {
    this.#endPartial()
    const run = this.#run
    this.#run = undefined
    if (run?.type === 'audio') this.#sound(run.block, run.joiner.end())
    if (run !== undefined) this.#events.push({ type: 'block-end', choice: this.#choice, block: run.block })
    this.#emitHeld()
  }

  #emitHeld(): void {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#emit(held)
  }

  #start(start: BlockStart): number {
    const block = this.#blocks
    this.#blocks += 1
    this.#events.push({ type: 'block-start', choice: this.#choice, block, start })
    return block
  }

  #emit(whole: AssistantBlock): void {
    this.#endOpen()
    const choice = this.#choice
    if (whole.type === 'tool-call') {
      const { input, cache: _cache, ...start } = whole
      const block = this.#start(start)
      this.#events.push(
        { type: 'tool-input-delta', choice, block, text: input },
        { type: 'block-end', choice, block },
      )
      return
    }
    if (whole.type === 'thinking') {
      const { text, signature, ...start } = whole
      const block = this.#start(start)
      if (text !== '') this.#events.push({ type: 'text-delta', choice, block, text })
      if (signature !== undefined) this.#events.push({ type: 'signature-delta', choice, block, signature })
      this.#events.push({ type: 'block-end', choice, block })
      return
    }
    if (whole.type === 'text' || whole.type === 'refusal') return
    const block = this.#start(whole)
    this.#events.push({ type: 'block-end', choice, block })
  }

  /** Emits the sources of the open text. Returns the records that no citation represents. */
  #cite(): JsonObject {
    const run = this.#run
    const hasText = run?.type === 'text'
    const text = hasText ? run.text : ''
    const found: Record<string, JsonObject | undefined> = {}
    const records = [
      ['groundingMetadata', this.#grounding.fields],
      ['citationMetadata', this.#recitation.fields],
    ] as const
    for (const [name, record] of records) {
      if (Object.keys(record).length === 0) continue
      const { citations, rest } = readCitations(name, record, text)
      // If no text is open, the text was emitted already. Then its sources stay in the record unchanged.
      const isPlaced = hasText || citations.length === 0
      found[name] = isPlaced ? rest : record
      if (hasText)
        for (const citation of citations)
          this.#events.push({ type: 'citation-delta', choice: this.#choice, block: run.block, citation })
    }
    return omitUndefined(found)
  }
}

function nameCall(signature: ReturnType<typeof readThoughtSignature>, id: string): AssistantBlock {
  const { extras } = signature
  return extras?.format === 'gemini'
    ? { ...signature, extras: { ...extras, fields: { ...extras.fields, id } } }
    : signature
}

/** Whether this is a piece of a call: the start of a call whose arguments come in pieces, or a later piece. */
function isPiece({ name, willContinue, partialArgs }: JsonObject): boolean {
  return willContinue === true || partialArgs !== undefined || name === undefined || name === ''
}

function unreadable(what: string): GatewayError {
  return new GatewayError('upstream_bad_response', { message: `its stream holds ${what}.` })
}

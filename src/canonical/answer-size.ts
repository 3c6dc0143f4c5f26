import type { JsonValue } from '../kit/json/json.ts'
import { createFailure, type Failure } from './failure.ts'
import type { Reply } from './reply.ts'
import type { ReplyEvent } from './reply-event.ts'

/** The limit of blocks in one answer, including tool calls. Real answers have some hundreds at most. */
export const MAX_BLOCKS = 4_096
/** The limit of the content of one block: a tool's input, a text, a signature. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024
/** The limit of the content of all blocks of one answer. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** The limit of a name's length. The longest known names have about two hundred characters. */
const MAX_NAME_CHARACTERS = 4_096

/** The approximate memory of a value that is not text. */
const VALUE_BYTES = 16

export interface AnswerSizeOptions {
  /** Whether the caller's format repeats a text at its end, so that the text is buffered until then. */
  readonly keepsText: boolean
}

interface BlockKey {
  readonly choice: number
  readonly block: number
}

/**
 * Measures how much readers and writers buffer of one translated answer while it streams. Text that only passes
 * through costs nothing.
 */
export class AnswerSize {
  /** The buffered size so far. */
  bytes = 0
  readonly #keepsText: boolean
  #blocks = 0
  readonly #bytesOfBlocks = new Map<number, number>()
  /** Text blocks that only pass through. */
  readonly #passing = new Set<number>()

  constructor({ keepsText }: AnswerSizeOptions) {
    this.#keepsText = keepsText
  }

  /** Counts an event. Returns the failure where the event makes the answer too large. */
  add(event: ReplyEvent): Failure | undefined {
    switch (event.type) {
      case 'reply-start':
        return refuseNames(event)
      case 'block-start':
        this.#blocks += 1
        if (this.#blocks > MAX_BLOCKS) return tooMany()
        if (!this.#keepsText && event.start.type === 'text') this.#passing.add(keyOf(event))
        return this.#add(event, sizeOf(event.start))
      case 'text-delta':
        if (this.#passing.has(keyOf(event))) return undefined
        return this.#add(event, Buffer.byteLength(event.text))
      case 'tool-input-delta':
        return this.#add(event, Buffer.byteLength(event.text))
      case 'signature-delta':
        return this.#add(event, Buffer.byteLength(event.signature))
      case 'audio-delta':
        return this.#add(event, Buffer.byteLength(event.transcript ?? ''))
      case 'citation-delta':
        return this.#add(event, sizeOf(event.citation))
      case 'logprobs-delta':
        return this.#grow(sizeOf(event.logprobs))
      default:
        return undefined
    }
  }

  #add(of: BlockKey, bytes: number): Failure | undefined {
    const key = keyOf(of)
    const ofBlock = (this.#bytesOfBlocks.get(key) ?? 0) + bytes
    this.#bytesOfBlocks.set(key, ofBlock)
    return ofBlock > MAX_BLOCK_BYTES ? tooLarge('a part of an answer') : this.#grow(bytes)
  }

  #grow(bytes: number): Failure | undefined {
    this.bytes += bytes
    return this.bytes > MAX_ANSWER_BYTES ? tooLarge('an answer') : undefined
  }
}

function keyOf({ choice, block }: BlockKey): number {
  return choice * (MAX_BLOCKS + 1) + block
}

/** Refuses a whole answer with too many parts. The answer's size in bytes is bounded where it is received. */
export function refuseReply({ choices, ...names }: Reply): Failure | undefined {
  const failure = refuseNames(names)
  if (failure !== undefined) return failure
  let blocks = 0
  for (const { content } of choices) blocks += content.length
  return refuseBlocks(blocks)
}

/** Refuses an answer with too many blocks. Where the number of blocks is known, this happens before they are read. */
export function refuseBlocks(count: number): Failure | undefined {
  return count > MAX_BLOCKS ? tooMany() : undefined
}

/** Refuses an ID or model name that is too long, since every event for the caller contains both. */
function refuseNames({ id, model }: { readonly id: string; readonly model: string }): Failure | undefined {
  return id.length + model.length > MAX_NAME_CHARACTERS
    ? tooLarge('a name of the answer or its model')
    : undefined
}

function tooMany(): Failure {
  return createFailure('upstream_bad_response', {
    message: `The model provider sent an answer of more than ${MAX_BLOCKS} parts and tool calls.`,
  })
}

function tooLarge(what: string): Failure {
  return createFailure('upstream_bad_response', {
    message: `The model provider sent ${what} that is larger than this gateway accepts.`,
  })
}

/**
 * Estimates the memory of a JSON value, mainly that of its text. The depth of the value is bounded where it is
 * parsed.
 */
function sizeOf(value: JsonValue | object | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return VALUE_BYTES
  let bytes = VALUE_BYTES
  for (const inner of Object.values(value)) bytes += sizeOf(inner)
  return bytes
}

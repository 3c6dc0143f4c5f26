/** The content of an answer, whatever its format. */
export interface Judged {
  readonly text: string
  readonly thinking: string
  readonly refusal: string
  readonly toolCalls: readonly JudgedCall[]
  /**
   * The stop reason in common words; undefined where the answer names none. `end` with calls counts as `tool-calls`.
   */
  readonly stopReason: JudgedStop | undefined
  /** Undefined where the answer has none. `input` is all input, `cacheRead` the part of it that was cached. */
  readonly usage: JudgedUsage | undefined
  /** The format's own error, in the body or in the stream. */
  readonly error: unknown
  /** Whether a stream's `[DONE]` or `message_stop` was there. Always true for whole answers. */
  readonly isTerminated: boolean
}

export interface JudgedCall {
  readonly name: string
  /** Parsed where it is JSON, else the text. No text counts as an empty object. */
  readonly arguments: unknown
}

export interface JudgedUsage {
  readonly input: number
  readonly cacheRead: number
  readonly output: number
}

export type JudgedStop = 'end' | 'length' | 'tool-calls' | 'refused' | 'pause' | `other: ${string}`

export interface GatheredCall {
  readonly name: string
  input: string
}

/** Gathers what answers say, from either format. */
export interface Gathered {
  text: string
  thinking: string
  refusal: string
  readonly calls: GatheredCall[]
  /** The chat format's calls by the index of their pieces. */
  readonly callKeys: Map<number, { readonly id: string; readonly call: GatheredCall }>
  /** Whether the block that the messages format is sending now is a call of the caller's tools. */
  isCallOpen: boolean
  /** The messages format's counts so far, under its own names. */
  readonly messagesUsage: Record<string, number>
  stop: string | undefined
  usage: JudgedUsage | undefined
  error: unknown
  isTerminated: boolean
}

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

export function createGathered(): Gathered {
  return {
    text: '',
    thinking: '',
    refusal: '',
    calls: [],
    callKeys: new Map(),
    isCallOpen: false,
    messagesUsage: {},
    stop: undefined,
    usage: undefined,
    error: undefined,
    isTerminated: false,
  }
}

import type { Conversation } from '../agent/conversation.ts'

/** The reading by a strict upstream of a request that it takes. */
export interface StrictRequest extends Conversation {
  /** The proofs that came back, in their order. */
  readonly proofs: readonly string[]
  readonly imageCount: number
}

/** One answer of the scripted model, its blocks in their order. */
export interface SaidTurn {
  /** The ID, another one in every answer. */
  readonly id: string
  readonly blocks: readonly SaidBlock[]
}

export type SaidBlock =
  /** Hidden thoughts are recognised by their proof alone. */
  | { readonly type: 'thought'; readonly text: string; readonly isHidden: boolean }
  | { readonly type: 'text'; readonly text: string }
  | SaidCall

export interface SaidCall {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, string>>
}

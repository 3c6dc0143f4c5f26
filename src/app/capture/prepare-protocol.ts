import type { OperationId } from '../../canonical/format.ts'

/** The settings with which a thread prepares captures. */
export interface PrepareTerms {
  /** The key that seals stored captures. */
  readonly key: Uint8Array
  readonly secrets: readonly string[]
  readonly patterns: readonly string[]
}

export interface PreparedBody {
  readonly bytes: Uint8Array
  readonly totalBytes: number
}

export interface PrepareAsk {
  readonly type: 'prepare'
  readonly id: number
  readonly requestId: string
  readonly operation: OperationId
  readonly isStream: boolean
  readonly isCut: boolean
  readonly maxBodyBytes: number
  readonly prompt: PreparedBody | undefined
  readonly answer: PreparedBody | undefined
}

export type PrepareMessage =
  | PrepareAsk
  | { readonly type: 'terms'; readonly terms: PrepareTerms }
  | { readonly type: 'close' }

export type PrepareReply =
  | { readonly id: number; readonly content: Uint8Array }
  | { readonly id: number; readonly reason: string }

import type { KeyId } from './key.ts'

/** An answer that a provider keeps under an id of its own, and who may ask for it. */
export interface KeptAnswer {
  readonly keyId: KeyId
  /** The public name that was asked for. */
  readonly askedName: string
  /** The public name under which its target stands: that one, or a fallback's. */
  readonly publicName: string
  readonly channelName: string
  readonly upstreamModel: string
  readonly credentialId: string | undefined
  /** Milliseconds since 1970. */
  readonly keptAtMs: number
}

export interface KeptAnswerRow {
  readonly id: string
  readonly answer: KeptAnswer
}

/** The answer that now stands under a key's id, or that none does any more. */
export interface KeptAnswerChange {
  readonly keyId: KeyId
  readonly id: string
  readonly answer: KeptAnswer | undefined
}

/** Keeps over a restart whose answers providers keep. */
export interface KeptAnswerStore {
  /** Those since then, the oldest first; what is older goes. Milliseconds since 1970. */
  load(sinceMs: number): Promise<readonly KeptAnswerRow[]>
  /** All or nothing. No two changes are of one key and id. */
  save(changes: readonly KeptAnswerChange[]): Promise<void>
}

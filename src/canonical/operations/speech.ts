import type { Usage } from '../usage.ts'

/** A request to speak a text. An absent field means that the caller did not send it. */
export interface SpeechRequest {
  readonly text: string
  readonly voice: string
  /** The file type, such as `mp3`. Undefined where the caller does not choose. */
  readonly fileType: string | undefined
  readonly speed: number | undefined
  readonly instructions: string | undefined
  /** The names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

export interface SpokenReply {
  readonly mediaType: string
  readonly bytes: Buffer
  /** Undefined where the provider reports no usage. */
  readonly usage: Usage | undefined
}

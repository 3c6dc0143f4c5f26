import type { Usage } from '../usage.ts'

/** A request to say a text. Absent means that the caller did not send the field. */
export interface SpeechRequest {
  readonly text: string
  readonly voice: string
  /** The file type, such as `mp3`; undefined where the caller leaves it open. */
  readonly fileType: string | undefined
  readonly speed: number | undefined
  readonly instructions: string | undefined
  /** Names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

export interface SpokenReply {
  readonly mediaType: string
  readonly bytes: Buffer
  /** Undefined where the provider states none. */
  readonly usage: Usage | undefined
}

import type { FormFile } from '../uploads/uploaded-form.ts'
import type { Usage } from '../usage.ts'

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
/** The format in which the caller wants its transcript. */
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A request to write down what is said. Absent means that the caller did not send the field. */
export interface TranscriptionRequest {
  readonly file: FormFile
  readonly responseFormat: TranscriptFormat
  readonly language: string | undefined
  readonly prompt: string | undefined
  readonly temperature: number | undefined
  /** Whether the times of single words are asked for. */
  readonly wantsWords: boolean
  readonly wantsSegments: boolean
  /** Names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

/** Times are in seconds. */
export interface TranscriptSegment {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker?: string | undefined
}

export interface TranscriptWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

export interface Transcript {
  readonly text: string
  readonly language: string | undefined
  readonly seconds: number | undefined
  /** Empty where the provider gives no times. */
  readonly segments: readonly TranscriptSegment[]
  readonly words: readonly TranscriptWord[]
  /** Undefined where the provider states none. */
  readonly usage: Usage | undefined
}

import type { FormFile } from '../uploads/uploaded-form.ts'
import type { Usage } from '../usage.ts'

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
/** The format in which the caller wants the transcript. */
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A request to transcribe speech. An absent field means that the caller did not send it. */
export interface TranscriptionRequest {
  readonly file: FormFile
  readonly responseFormat: TranscriptFormat
  readonly language: string | undefined
  readonly prompt: string | undefined
  readonly temperature: number | undefined
  /** Whether the caller asks for the times of single words. */
  readonly wantsWords: boolean
  readonly wantsSegments: boolean
  /** The names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

/** A part of a transcript with its start and end in seconds. */
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
  /** Empty where the provider returns no times. */
  readonly segments: readonly TranscriptSegment[]
  readonly words: readonly TranscriptWord[]
  /** Undefined where the provider reports no usage. */
  readonly usage: Usage | undefined
}

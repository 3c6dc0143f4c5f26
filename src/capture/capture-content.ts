/** A prompt or an answer as it is stored, without secrets and without text that the redaction patterns match. */
export interface CapturedBody {
  readonly text: string
  /** The size in bytes on the wire; `text` may hold only the beginning. */
  readonly bytes: number
  readonly isTruncated: boolean
}

export interface CapturedAnswer extends CapturedBody {
  /**
   * The form of `text`. `folded`: the events of a stream combined into one JSON answer. `raw`: the bytes as they were
   * sent.
   */
  readonly form: 'folded' | 'raw'
  readonly isStream: boolean
  /** Whether the answer broke off. The capture holds what the caller received. */
  readonly isCut: boolean
}

/** The content of a capture, which is stored encrypted. */
export interface CaptureContent {
  readonly prompt: CapturedBody | undefined
  readonly answer: CapturedAnswer | undefined
}

/** The context that the encryption of a capture is bound to. */
export function sealContextOfCapture(requestId: string): string {
  return `captures|${requestId}`
}

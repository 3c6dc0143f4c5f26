/** A prompt or an answer as it is stored, secrets and what the patterns match taken out. */
export interface CapturedBody {
  readonly text: string
  /** The bytes that it had on the wire, of which `text` may be the beginning alone. */
  readonly bytes: number
  readonly isTruncated: boolean
}

export interface CapturedAnswer extends CapturedBody {
  /** The form of `text`. `folded`: of a stream what its events add up to, as JSON; `raw`: as it went out. */
  readonly form: 'folded' | 'raw'
  readonly isStream: boolean
  /** Whether it broke off: the caller saw this much of it. */
  readonly isCut: boolean
}

/** The content of a capture, which is stored sealed. */
export interface CaptureContent {
  readonly prompt: CapturedBody | undefined
  readonly answer: CapturedAnswer | undefined
}

/** The name that the seal of a capture is bound to. */
export function sealContextOfCapture(requestId: string): string {
  return `captures|${requestId}`
}

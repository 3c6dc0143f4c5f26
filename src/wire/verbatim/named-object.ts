import type { JsonSpan } from '../../kit/json/json-spans.ts'

/** A stored object that a request names, and where in its bytes. */
export interface NamedObject extends JsonSpan {
  readonly type: 'message-file' | 'gemini-file' | 'cached-content'
  readonly id: string
  /** The name as it is written. */
  readonly written: string
}

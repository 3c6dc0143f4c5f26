import type { JsonSpan } from '../../kit/json/json-spans.ts'

/** A stored object that a request names, and its position in the request's bytes. */
export interface NamedObject extends JsonSpan {
  readonly type: 'message-file' | 'gemini-file' | 'cached-content'
  readonly id: string
  /** The name exactly as the request has it. */
  readonly written: string
}

import type { JsonObject } from '../kit/json/json.ts'
import type { Extras, FieldOwner } from './format.ts'

/** A request to save the prompt up to this point in the provider's cache. */
export interface CacheMark {
  readonly lifetime?: '5m' | '1h'
}

export type MediaSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  /** A file that the provider already stores. */
  | { readonly type: 'file'; readonly fileId: string }

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly Citation[]
  readonly cache?: CacheMark
  readonly extras?: Extras
}

/**
 * A source for a piece of text. Known parts have fields of their own. The provider's own record travels in `extras`.
 */
export interface Citation {
  readonly url?: string
  readonly title?: string
  readonly citedText?: string
  /** Offsets into the text of the block, in UTF-16 units. */
  readonly startIndex?: number
  readonly endIndex?: number
  readonly extras?: Extras
}

export interface ImageBlock {
  readonly type: 'image'
  readonly source: MediaSource
  readonly detail?: string
  readonly cache?: CacheMark
  readonly extras?: Extras
}

export interface DocumentBlock {
  readonly type: 'document'
  readonly source: MediaSource | { readonly type: 'text'; readonly text: string }
  /** The name of the file or the title of the document. */
  readonly title?: string
  readonly context?: string
  readonly cache?: CacheMark
  readonly extras?: Extras
}

export interface AudioBlock {
  readonly type: 'audio'
  /** The ID of the audio in an earlier answer, where the provider stores it. */
  readonly id?: string
  readonly data?: string
  /** The encoding, such as `wav` or `mp3`. */
  readonly encoding?: string
  readonly transcript?: string
  readonly expiresAtSeconds?: number
  readonly extras?: Extras
}

export interface VideoBlock {
  readonly type: 'video'
  readonly source: MediaSource
  readonly extras?: Extras
}

export interface SearchResultBlock {
  readonly type: 'search-result'
  readonly source: string
  readonly title: string
  readonly content: readonly TextBlock[]
  readonly cache?: CacheMark
  readonly extras?: Extras
}

/** Reasoning as plain text. With the signature, its provider can verify that the text is unchanged. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly text: string
  readonly signature?: string
  readonly extras?: Extras
}

/** Reasoning that only its provider can read. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted-thinking'
  readonly data: string
  readonly extras?: Extras
}

export interface ToolCallBlock {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  /** `function`: `input` is JSON text as the model wrote it, and may be invalid. `custom`: `input` is free text. */
  readonly kind: 'function' | 'custom'
  readonly input: string
  readonly cache?: CacheMark
  readonly extras?: Extras
}

export interface ToolResultBlock {
  readonly type: 'tool-result'
  readonly callId: string
  readonly content: readonly ToolResultContent[]
  readonly isError: boolean
  readonly cache?: CacheMark
  readonly extras?: Extras
}

export interface RefusalBlock {
  readonly type: 'refusal'
  readonly text: string
  readonly extras?: Extras
}

/** A block that only its own format knows (for example, a tool that the provider runs), stored whole. */
export interface OpaqueBlock {
  readonly type: 'opaque'
  readonly format: FieldOwner
  readonly value: JsonObject
  /** The block's name in a report of a loss, where the kind of block is not precise enough. */
  readonly name?: string
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | OpaqueBlock
export type UserBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | AudioBlock
  | VideoBlock
  | SearchResultBlock
  | OpaqueBlock
export type AssistantBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolCallBlock
  | RefusalBlock
  | AudioBlock
  | ImageBlock
  | OpaqueBlock
export type SystemBlock = TextBlock | OpaqueBlock
export type Block = UserBlock | AssistantBlock | ToolResultBlock

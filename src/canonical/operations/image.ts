import type { StoredBytes } from '../uploads/uploaded-form.ts'
import type { Usage } from '../usage.ts'

/** An image that is worked from. */
export type ImageInput =
  | { readonly type: 'file'; readonly mediaType: string; readonly content: StoredBytes }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  /** An address, or what the provider stores by an ID. */
  | { readonly type: 'reference'; readonly param: string }

/** A request for images. Absent means that the caller did not send the field. */
export interface ImageRequest {
  readonly prompt: string
  /** The number of images, at least one. */
  readonly count: number
  /** Pixels; undefined where the model chooses. */
  readonly size: { readonly width: number; readonly height: number } | undefined
  /** The images that are worked from; empty where one is made from words alone. */
  readonly inputs: readonly ImageInput[]
  readonly hasMask: boolean
  readonly isStream: boolean
  /** The file type that the caller asks for, such as `jpeg`. */
  readonly outputFormat: string | undefined
  /** Names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

export interface MadeImage {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

export interface ImageReply {
  readonly images: readonly MadeImage[]
  /** Undefined where the provider states none. */
  readonly usage: Usage | undefined
}

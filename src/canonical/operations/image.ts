import type { StoredBytes } from '../uploads/uploaded-form.ts'
import type { Usage } from '../usage.ts'

/** An input image to edit or work from. */
export type ImageInput =
  | { readonly type: 'file'; readonly mediaType: string; readonly content: StoredBytes }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  /** An address, or an ID under which the provider stores the image. */
  | { readonly type: 'reference'; readonly param: string }

/** A request for images. An absent field means that the caller did not send it. */
export interface ImageRequest {
  readonly prompt: string
  /** The number of images, at least one. */
  readonly count: number
  /** The size in pixels. Undefined where the model chooses. */
  readonly size: { readonly width: number; readonly height: number } | undefined
  /** The input images. Empty where an image is made from text only. */
  readonly inputs: readonly ImageInput[]
  readonly hasMask: boolean
  readonly isStream: boolean
  /** The file type that the caller asks for, such as `jpeg`. */
  readonly outputFormat: string | undefined
  /** The names of the other fields that the caller sent. */
  readonly otherFields: readonly string[]
}

export interface MadeImage {
  readonly mediaType: string
  /** The image in base64. */
  readonly data: string
}

export interface ImageReply {
  readonly images: readonly MadeImage[]
  /** Undefined where the provider reports no usage. */
  readonly usage: Usage | undefined
}

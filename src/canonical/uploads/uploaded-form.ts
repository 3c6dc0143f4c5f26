/** Bytes that can be read repeatedly, in memory or on disk. */
export interface StoredBytes {
  readonly length: number
  /** Reads up to `length` bytes. Returns fewer only at the end. Returns a promise where the bytes are on disk. */
  read(position: number, length: number): Buffer | Promise<Buffer>
}

/** A text field of a form. */
export interface FormText {
  readonly type: 'text'
  readonly name: string
  readonly value: string
}

/** A file field of a form. */
export interface FormFile {
  readonly type: 'file'
  readonly name: string
  /** The caller's name of the file, without a path. */
  readonly filename: string
  /** The content type that the caller states. */
  readonly mediaType: string
  readonly content: StoredBytes
  /** The first and last bytes of the file, from which its format and length are found. */
  readonly head: Buffer
  readonly tail: Buffer
}

export type FormPart = FormText | FormFile

/** A body of the type `multipart/form-data`. Its parts keep their order. */
export interface UploadedForm {
  readonly parts: readonly FormPart[]
  /** The bytes of the whole body, as received. */
  readonly bytes: number
  /** The hash of all parts. Undefined where no hash was requested. */
  readonly digest: string | undefined
}

/** A file as a part of a body, either unencoded or in base64. */
export interface BodyFile {
  readonly content: StoredBytes
  readonly encoding: 'raw' | 'base64'
}

/** A piece of a body that consists of texts and files. The body is written piece by piece each time that it is sent. */
export type BodyPiece = Buffer | BodyFile

export function filesOf(form: UploadedForm | undefined): readonly FormFile[] {
  return form === undefined ? [] : form.parts.filter((part) => part.type === 'file')
}

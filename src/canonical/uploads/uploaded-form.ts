/** Bytes that can be read again, wherever they are. */
export interface StoredBytes {
  readonly length: number
  /** Reads up to so many bytes; fewer only at the end. A promise where they are on disk. */
  read(position: number, length: number): Buffer | Promise<Buffer>
}

/** A text of a form. */
export interface FormText {
  readonly type: 'text'
  readonly name: string
  readonly value: string
}

/** A file of a form. */
export interface FormFile {
  readonly type: 'file'
  readonly name: string
  /** The caller's own name of the file, without a path. */
  readonly filename: string
  /** The content type that the caller states. */
  readonly mediaType: string
  readonly content: StoredBytes
  /** The first and last bytes of the file, by which its format and length are recognised. */
  readonly head: Buffer
  readonly tail: Buffer
}

export type FormPart = FormText | FormFile

/** A body of the type `multipart/form-data`, in the order of its parts. */
export interface UploadedForm {
  readonly parts: readonly FormPart[]
  /** The bytes of the whole body, as received. */
  readonly bytes: number
  /** The hash of all parts; undefined where nobody asked for it. */
  readonly digest: string | undefined
}

/** A file as a part of a body: as it is, or in base64. */
export interface BodyFile {
  readonly content: StoredBytes
  readonly encoding: 'raw' | 'base64'
}

/** A body that is written from texts and files, piece by piece, as often as it is sent. */
export type BodyPiece = Buffer | BodyFile

export function filesOf(form: UploadedForm | undefined): readonly FormFile[] {
  return form === undefined ? [] : form.parts.filter((part) => part.type === 'file')
}

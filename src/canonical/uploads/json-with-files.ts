import type { BodyPiece, StoredBytes } from './uploaded-form.ts'

/** A file that JSON contains in base64. */
export class FileInJson {
  readonly content: StoredBytes

  constructor(content: StoredBytes) {
    this.content = content
  }
}

/** JSON in which some texts are the bytes of files. The files are read only when the body is sent. */
export type JsonWithFiles =
  | string
  | number
  | boolean
  | null
  | FileInJson
  | readonly JsonWithFiles[]
  | { readonly [name: string]: JsonWithFiles | undefined }

/** Writes the body as a list of pieces. */
export function writeJsonWithFiles(value: JsonWithFiles): readonly BodyPiece[] {
  const writer = new PieceWriter()
  writer.write(value)
  return writer.end()
}

class PieceWriter {
  readonly #pieces: BodyPiece[] = []
  #text = ''

  write(value: JsonWithFiles): void {
    if (value instanceof FileInJson) this.#writeFile(value)
    else if (isList(value))
      this.#writeList(
        '[',
        ']',
        value.map((item) => [item]),
      )
    else if (typeof value === 'object' && value !== null)
      this.#writeList(
        '{',
        '}',
        Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[item, name]])),
      )
    else this.#text += JSON.stringify(value)
  }

  end(): readonly BodyPiece[] {
    this.#flush()
    return this.#pieces
  }

  #writeList(start: string, end: string, items: readonly (readonly [JsonWithFiles, string?])[]): void {
    this.#text += start
    for (const [index, [item, name]] of items.entries()) {
      if (index > 0) this.#text += ','
      if (name !== undefined) this.#text += `${JSON.stringify(name)}:`
      this.write(item)
    }
    this.#text += end
  }

  #writeFile({ content }: FileInJson): void {
    this.#text += '"'
    this.#flush()
    this.#pieces.push({ content, encoding: 'base64' })
    this.#text += '"'
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

function isList(value: JsonWithFiles): value is readonly JsonWithFiles[] {
  return Array.isArray(value)
}

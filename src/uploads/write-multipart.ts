import type { BodyPiece, FormPart } from '../canonical/uploads/uploaded-form.ts'

export interface MultipartBody {
  readonly contentType: string
  readonly pieces: readonly BodyPiece[]
}

/**
 * Writes a new multipart form from its parts (RFC 7578). Nothing of the caller's own framing is sent on. `boundary`
 * must not occur in any part, so it must be impossible for callers to guess.
 */
export function writeMultipart(parts: readonly FormPart[], boundary: string): MultipartBody {
  const pieces: BodyPiece[] = []
  for (const part of parts) {
    const name = `--${boundary}\r\ncontent-disposition: form-data; name="${quote(part.name)}"`
    if (part.type === 'text') {
      pieces.push(Buffer.from(`${name}\r\n\r\n${part.value}\r\n`))
      continue
    }
    const file = `; filename="${quote(part.filename)}"\r\ncontent-type: ${typeOf(part.mediaType)}\r\n\r\n`
    pieces.push(Buffer.from(name + file), { content: part.content, encoding: 'raw' }, lineEnd)
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, pieces }
}

const lineEnd = Buffer.from('\r\n')

/** Names as browsers write them (https://html.spec.whatwg.org/#multipart-form-data, seen 2026-11-24). */
function quote(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/

/** The content type is sent as a header of the part, so that only a valid media type is passed on. */
function typeOf(mediaType: string): string {
  return MEDIA_TYPE.test(mediaType) ? mediaType : 'application/octet-stream'
}

import type { DocumentBlock } from '../../canonical/content.ts'

/** Types of text whose names do not begin with `text/`. */
const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-javascript)$|.*\+(?:json|xml)$)/

/**
 * The text of a document that is plain text or a text file. Undefined for other files, and for a text file that is not
 * in UTF-8: its characters could only be guessed.
 */
export function textOfFile(source: DocumentBlock['source']): string | undefined {
  if (source.type === 'text') return source.text
  if (source.type !== 'base64' || !isTextType(source.mediaType)) return undefined
  const bytes = Buffer.from(source.data, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

function isTextType(mediaType: string): boolean {
  const [type = ''] = mediaType.toLowerCase().split(';', 1)
  return TEXT_TYPE.test(type.trim())
}

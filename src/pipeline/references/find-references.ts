import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import { findStoredNames } from '../../wire/gemini/verbatim/find-stored-names.ts'
import { findFileIds } from '../../wire/messages/verbatim/find-file-ids.ts'
import type { NamedObject } from '../../wire/verbatim/named-object.ts'

interface References {
  /** Bytes of which a body that names something holds one, unless it hides the name. */
  readonly signs: readonly Buffer[]
  find(bytes: Buffer): readonly NamedObject[]
}

const ofMessages: References = { signs: [Buffer.from('file_id')], find: findFileIds }
const ofGemini: References = {
  signs: ['fileUri', 'file_uri', 'cachedContent', 'cached_content'].map((sign) => Buffer.from(sign)),
  find: findStoredNames,
}

const references: Partial<Record<CallerFormat['id'], References>> = {
  messages: ofMessages,
  'count-tokens': ofMessages,
  gemini: ofGemini,
  'gemini-count-tokens': ofGemini,
}

/** An escape, by which a name's letters can be written. */
const escapeSign = Buffer.from('\\u00')
const escapedLetter = /\\u00[4-7][0-9a-f]/i

/** The files and cached contents that a body names; none where its format names none, or it is no JSON. */
export function findReferences(format: CallerFormat, body: BodyBytes): readonly NamedObject[] {
  const known = references[format.id]
  if (known === undefined || !mayName(known, body)) return []
  return known.find(joined(body))
}

function mayName({ signs }: References, body: BodyBytes): boolean {
  if (signs.some((sign) => body.includes(sign))) return true
  return body.includes(escapeSign) && escapedLetter.test(joined(body).toString('latin1'))
}

/** The bytes of a body as one buffer. */
export function joined({ chunks }: BodyBytes): Buffer {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

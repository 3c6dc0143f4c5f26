import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { scanObject } from '../../kit/json/scan-object.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import { findStoredNames } from '../../wire/gemini/verbatim/find-stored-names.ts'
import { findFileIds } from '../../wire/messages/verbatim/find-file-ids.ts'
import type { NamedObject } from '../../wire/verbatim/named-object.ts'

/** The name of a field, in two parts. The end begins with a rare letter, so that it is searched for first. */
interface Sign {
  readonly end: Buffer
  readonly before: Buffer
}

interface References {
  /** The names of fields that may name an object. A body that names one contains one of them or one of `fields`. */
  readonly signs: readonly Sign[]
  /** Top-level fields that may name an object, in lower case. */
  readonly fields: readonly string[]
  find(bytes: Buffer): readonly NamedObject[]
}

function signOf(before: string, end: string): Sign {
  return { before: Buffer.from(before), end: Buffer.from(end) }
}

const ofMessages: References = { signs: [signOf('file', '_id"')], fields: [], find: findFileIds }
const ofGemini: References = {
  signs: [signOf('file', 'Uri"'), signOf('file', '_uri"')],
  fields: ['cachedcontent', 'cached_content', 'generatecontentrequest', 'generate_content_request'],
  find: findStoredNames,
}

const references: Partial<Record<CallerFormat['id'], References>> = {
  messages: ofMessages,
  'count-tokens': ofMessages,
  gemini: ofGemini,
  'gemini-count-tokens': ofGemini,
}

/**
 * The files and cached contents that a body names. Empty where the body's format cannot name any, or the body is not
 * JSON. Every request is searched, so the search works on bytes. A name that is written with escapes is not found and
 * is passed on unchanged. That is harmless: providers do not know the gateway's names, and the gateway reveals none of
 * theirs.
 */
export function findReferences(format: CallerFormat, body: BodyBytes): readonly NamedObject[] {
  const rules = references[format.id]
  if (rules === undefined || !mayName(rules, body)) return none
  return rules.find(joined(body))
}

const none: readonly NamedObject[] = []

function mayName({ signs, fields }: References, body: BodyBytes): boolean {
  for (const sign of signs) if (holdsSign(body, sign)) return true
  if (fields.length === 0) return false
  const scanned = scanObject(body)
  return !('fault' in scanned) && fields.some((name) => scanned.members.has(name))
}

function holdsSign({ chunks }: BodyBytes, sign: Sign): boolean {
  const reach = sign.before.length + sign.end.length - 1
  let seam: Buffer | undefined
  for (const chunk of chunks) {
    if (isIn(chunk, sign)) return true
    if (seam !== undefined && isIn(Buffer.concat([seam, chunk.subarray(0, reach)]), sign)) return true
    seam = chunk.length >= reach ? chunk.subarray(chunk.length - reach) : lastOf(seam, chunk, reach)
  }
  return false
}

function lastOf(seam: Buffer | undefined, chunk: Buffer, reach: number): Buffer {
  const both = seam === undefined ? chunk : Buffer.concat([seam, chunk])
  return both.subarray(Math.max(0, both.length - reach))
}

function isIn(bytes: Buffer, { before, end }: Sign): boolean {
  for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, at + 1)) {
    const from = at - before.length
    if (from >= 0 && before.equals(bytes.subarray(from, at))) return true
  }
  return false
}

/** The bytes of a body as one buffer. */
export function joined({ chunks }: BodyBytes): Buffer {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

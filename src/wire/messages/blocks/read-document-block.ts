import type { DocumentBlock } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { documentFields, sourceFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readString, requireObject, requireString } from '../values/field-readers.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readMediaSource } from './read-media-source.ts'

interface ReadSource {
  readonly source: DocumentBlock['source']
  /**
   * The fields that the canonical source leaves out. If these fields include `type`, they are the whole source,
   * unchanged.
   */
  readonly leftovers: JsonObject | undefined
}

/** Reads a document. Undefined if its content is more than text: then only an opaque block can hold it. */
export function readDocumentBlock(object: JsonObject, path: string): DocumentBlock | undefined {
  const read = readSource(requireObject(object, 'source', path), joinPath(path, 'source'))
  if (read === undefined) return undefined
  const title = readString(object, 'title', path)
  const context = readString(object, 'context', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'document',
    source: read.source,
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
    ...mark,
    ...readExtras(object, documentFields, { source: read.leftovers, cache_control: leftovers }),
  }
}

function readSource(object: JsonObject, path: string): ReadSource | undefined {
  const type = requireString(object, 'type', path)
  if (type === 'content') {
    const text = joinTexts(object['content'])
    return text === undefined ? undefined : { source: { type: 'text', text }, leftovers: object }
  }
  const leftovers = leftoversOf(object, sourceFields)
  if (type !== 'text') return { source: readMediaSource(object, path), leftovers }
  return { source: { type, text: requireString(object, 'data', path) }, leftovers }
}

/** The joined text of a document that is given as content. Undefined if the content has anything besides text. */
function joinTexts(content: JsonValue | undefined): string | undefined {
  if (typeof content === 'string') return content
  if (!isJsonArray(content)) return undefined
  const texts: string[] = []
  for (const part of content) {
    if (!isJsonObject(part) || typeof part['text'] !== 'string') return undefined
    texts.push(part['text'])
  }
  return texts.join('\n\n')
}

import type { Citation } from '../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { knownFields, leftoversOf } from '../fields/field-table.ts'
import { toExtras } from './extras.ts'
import { citationFields, groundingFields } from './reply-fields.ts'

const grounding = knownFields(groundingFields)
const citation = knownFields(citationFields)

export interface ReadSources {
  readonly citations: readonly Citation[]
  /** What of the record the citations do not say; undefined where they say it all. */
  readonly rest: JsonObject | undefined
}

/**
 * The sources of a text that the service found for it: each stretch of the text names those that bear it out. Offsets
 * are bytes of UTF-8 here and UTF-16 units in the canonical form.
 * https://ai.google.dev/gemini-api/docs/google-search, seen 2026-11-20.
 */
export function readGrounding(record: JsonObject, text: string): ReadSources {
  const chunks = listOf(record['groundingChunks'])
  const supports = listOf(record['groundingSupports'])
  const used = new Set<number>()
  const citations = supports.flatMap((support) => {
    const indices = isJsonArray(support['groundingChunkIndices']) ? support['groundingChunkIndices'] : []
    const place = readSegment(support['segment'], text)
    return indices.flatMap((index) => {
      const source = typeof index === 'number' ? chunks[index] : undefined
      if (typeof index !== 'number' || source === undefined) return []
      used.add(index)
      return [{ ...readChunk(source), ...place }]
    })
  })
  const unused = chunks.filter((_chunk, index) => !used.has(index)).map(readChunk)
  return { citations: [...citations, ...unused], rest: leftoversOf(record, grounding) }
}

/** Passages that the model recited, each with its source. */
export function readRecitation(record: JsonObject, text: string): ReadSources {
  const { citations, citationSources, ...rest } = record
  const read = listOf(citations ?? citationSources).map((each): Citation => {
    const { uri, title } = each
    return omitUndefined({
      url: typeof uri === 'string' ? uri : undefined,
      title: typeof title === 'string' ? title : undefined,
      ...readSegment(each, text),
      // By this a writer of the same format tells it from a source that was searched for.
      ...toExtras({ citationMetadata: leftoversOf(each, citation) ?? {} }),
    })
  })
  return { citations: read, rest: Object.keys(rest).length === 0 ? undefined : rest }
}

function readChunk(chunk: JsonObject): Citation {
  const { web, retrievedContext, ...more } = chunk
  const source = isJsonObject(web) ? web : isJsonObject(retrievedContext) ? retrievedContext : {}
  const { uri, title, text, ...others } = source
  const isWeb = isJsonObject(web)
  const own = isWeb
    ? { web: leftovers(others) }
    : { retrievedContext: isJsonObject(retrievedContext) ? others : undefined }
  return omitUndefined({
    url: typeof uri === 'string' ? uri : undefined,
    title: typeof title === 'string' ? title : undefined,
    citedText: typeof text === 'string' ? text : undefined,
    ...toExtras(more, own),
  })
}

function leftovers(fields: JsonObject): JsonObject | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** Where the stretch lies in the text; nothing where the bytes do not fit it, as where several parts were counted. */
function readSegment(
  segment: JsonValue | undefined,
  text: string,
): Pick<Citation, 'startIndex' | 'endIndex'> {
  if (!isJsonObject(segment)) return {}
  const { startIndex = 0, endIndex, text: said } = segment
  if (typeof startIndex !== 'number' || typeof endIndex !== 'number') return {}
  const bytes = Buffer.from(text, 'utf8')
  if (endIndex <= bytes.length && startIndex < endIndex) {
    const before = bytes.toString('utf8', 0, startIndex)
    const covered = bytes.toString('utf8', startIndex, endIndex)
    if (typeof said !== 'string' || said === covered)
      return { startIndex: before.length, endIndex: before.length + covered.length }
  }
  const found = typeof said === 'string' && said !== '' ? text.indexOf(said) : -1
  return found === -1 || typeof said !== 'string' ? {} : { startIndex: found, endIndex: found + said.length }
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.map((each) => (isJsonObject(each) ? each : {})) : []
}

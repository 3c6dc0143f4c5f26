import type { Citation } from '../../../canonical/content.ts'
import { TextOffsets } from '../../../kit/bytes/text-offsets.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { citationFields, groundingFields } from '../reply/reply-fields.ts'
import { toExtras } from './extras.ts'

const grounding = knownFields(groundingFields)
const citation = knownFields(citationFields)

export interface ReadSources {
  readonly citations: readonly Citation[]
  /** The parts of the record that the citations do not represent; undefined where they represent all of it. */
  readonly rest: JsonObject | undefined
}

/** The two fields in which a candidate states the sources of its text. */
export type SourceRecord = 'groundingMetadata' | 'citationMetadata'

/** Reads the sources that one of these fields names for a text. */
export function readCitations(name: SourceRecord, record: JsonObject, text: string): ReadSources {
  return name === 'groundingMetadata' ? readGrounding(record, text) : readRecitation(record, text)
}

/**
 * Reads the sources that the service found for a text. Each range of the text names the sources that support it.
 * Offsets are UTF-8 bytes in this format and UTF-16 units in the canonical form.
 * https://ai.google.dev/gemini-api/docs/google-search, seen 2026-11-20.
 */
function readGrounding(record: JsonObject, text: string): ReadSources {
  const chunks = listOf(record['groundingChunks'])
  const supports = listOf(record['groundingSupports'])
  const used = new Set<number>()
  const ranges = new SourceRanges(text)
  const citations = supports.flatMap((support) => {
    const indices = isJsonArray(support['groundingChunkIndices']) ? support['groundingChunkIndices'] : []
    const position = ranges.find(support['segment'])
    return indices.flatMap((index) => {
      const source = typeof index === 'number' ? chunks[index] : undefined
      if (typeof index !== 'number' || source === undefined) return []
      used.add(index)
      return [{ ...readChunk(source), ...position }]
    })
  })
  const unused = chunks.filter((_chunk, index) => !used.has(index)).map(readChunk)
  return { citations: [...citations, ...unused], rest: leftoversOf(record, grounding) }
}

/** Reads the passages that the model recited, each with its source. */
function readRecitation(record: JsonObject, text: string): ReadSources {
  const { citations, citationSources, ...rest } = record
  const ranges = new SourceRanges(text)
  const read = listOf(citations ?? citationSources).map((each): Citation => {
    const { uri, title } = each
    return omitUndefined({
      url: typeof uri === 'string' ? uri : undefined,
      title: typeof title === 'string' ? title : undefined,
      ...ranges.find(each),
      // The writer of this format uses this field to tell a recited source from a source found by a search.
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

/** The maximum number of texts to search in the whole answer. A record with more wrong offsets is of no use. */
const MAX_SEARCHES = 200

/** Finds the ranges of sources in one text. */
class SourceRanges {
  readonly #text: string
  #offsets: TextOffsets | undefined
  #searches = 0

  constructor(text: string) {
    this.#text = text
  }

  /**
   * The range of a segment. Empty if its offsets do not fit the text and the segment's text is not found. Offsets do
   * not fit if, for example, they count several parts.
   */
  find(segment: JsonValue | undefined): Pick<Citation, 'startIndex' | 'endIndex'> {
    if (!isJsonObject(segment)) return {}
    const { startIndex = 0, endIndex, text: said } = segment
    if (typeof startIndex !== 'number' || typeof endIndex !== 'number') return {}
    this.#offsets ??= new TextOffsets(this.#text, 'bytes')
    if (endIndex <= this.#offsets.length && startIndex < endIndex) {
      const position = {
        startIndex: this.#offsets.toUnits(startIndex),
        endIndex: this.#offsets.toUnits(endIndex),
      }
      if (typeof said !== 'string' || this.#isThere(said, position)) return position
    }
    return typeof said === 'string' && said !== '' ? this.#search(said) : {}
  }

  #isThere(
    said: string,
    { startIndex, endIndex }: { readonly startIndex: number; readonly endIndex: number },
  ) {
    return said.length === endIndex - startIndex && this.#text.startsWith(said, startIndex)
  }

  #search(said: string): Pick<Citation, 'startIndex' | 'endIndex'> {
    this.#searches += 1
    const found = this.#searches > MAX_SEARCHES ? -1 : this.#text.indexOf(said)
    return found === -1 ? {} : { startIndex: found, endIndex: found + said.length }
  }
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.map((each) => (isJsonObject(each) ? each : {})) : []
}

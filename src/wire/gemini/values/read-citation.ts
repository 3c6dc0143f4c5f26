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

/** A candidate states the sources of its text in two records. */
export type SourceRecord = 'groundingMetadata' | 'citationMetadata'

/** The sources that one record of a candidate names for a text. */
export function readCitations(name: SourceRecord, record: JsonObject, text: string): ReadSources {
  return name === 'groundingMetadata' ? readGrounding(record, text) : readRecitation(record, text)
}

/**
 * The sources of a text that the service found for it: each stretch of the text names those that bear it out. Offsets
 * are bytes of UTF-8 here and UTF-16 units in the canonical form.
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

/** Passages that the model recited, each with its source. */
function readRecitation(record: JsonObject, text: string): ReadSources {
  const { citations, citationSources, ...rest } = record
  const ranges = new SourceRanges(text)
  const read = listOf(citations ?? citationSources).map((each): Citation => {
    const { uri, title } = each
    return omitUndefined({
      url: typeof uri === 'string' ? uri : undefined,
      title: typeof title === 'string' ? title : undefined,
      ...ranges.find(each),
      // A writer of the same format distinguishes this from a source that was searched for.
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

/** Texts that are looked for all through the answer; a record of that many whose bytes do not fit is of no use. */
const MAX_SEARCHES = 200

/** Finds the stretches of one text. */
class SourceRanges {
  readonly #text: string
  #offsets: TextOffsets | undefined
  #searches = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The range of a segment; nothing where the bytes do not fit it, as where several parts were counted. */
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

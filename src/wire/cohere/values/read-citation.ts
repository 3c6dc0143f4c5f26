import type { Citation } from '../../../canonical/content.ts'
import { TextOffsets } from '../../../kit/bytes/text-offsets.ts'
import { filledText } from '../../../kit/json/filled-text.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { toExtras } from './extras.ts'

/**
 * Reads the sources of a range of an answer, one citation for each source. `start` and `end` are offsets into the text
 * of the part with the index `content_index`. The fields of a source are those of the document from the caller or a
 * tool (https://docs.cohere.com/docs/rag-citations, seen 2026-11-20).
 */
export function readCitations(
  citation: JsonObject,
  text: string,
  counter: CharacterCounter,
): readonly Citation[] {
  const range = rangeOf(citation, text, counter)
  const { sources } = citation
  const named = objectsIn(sources)
  if (named.length === 0) return [range]
  return named.map((source) => ({ ...range, ...readSource(source) }))
}

function readSource({ type, id, document, tool_output: output }: JsonObject): Citation {
  const given = [document, output].find(isJsonObject) ?? {}
  const fields = omitUndefined({ type, id })
  return omitUndefined({
    url: addressIn(given['url']),
    title: filledText(given['title']),
    citedText: filledText(given['text']) ?? filledText(given['snippet']) ?? filledText(given['content']),
    ...toExtras(fields),
  })
}

function addressIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && /^https?:\/\//.test(value) ? value : undefined
}

/** Converts a range to UTF-16 offsets. The provider counts characters, which differs after an emoji, for example. */
function rangeOf(
  { start, end, text: quoted }: JsonObject,
  text: string,
  counter: CharacterCounter,
): Citation {
  if (typeof start !== 'number' || typeof end !== 'number') return {}
  if (typeof quoted !== 'string' || text.length > MAX_TEXT_CHARACTERS || text.slice(start, end) === quoted)
    return { startIndex: start, endIndex: end }
  const startIndex = counter.unitsOf(start, text)
  const isThere = text.startsWith(quoted, startIndex)
  return isThere ? { startIndex, endIndex: startIndex + quoted.length } : { startIndex: start, endIndex: end }
}

/** The longest text to compare with citations. In a longer text, each citation would cost too much time. */
const MAX_TEXT_CHARACTERS = 1_000_000

/** Counts the characters of a text. Remembers only the last text, since the citations of one text arrive together. */
export class CharacterCounter {
  #offsets: TextOffsets | undefined

  unitsOf(characters: number, text: string): number {
    if (this.#offsets?.text !== text) this.#offsets = new TextOffsets(text, 'characters')
    return this.#offsets.toUnits(characters)
  }
}

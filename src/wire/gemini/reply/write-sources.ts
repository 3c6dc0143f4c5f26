import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { TextOffsets } from '../../../kit/bytes/text-offsets.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { joinFields, loseExtras } from '../../fields/extras.ts'

/** A text and its citations. */
export interface SourcedText {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** The fields of a candidate that hold the sources of its text: `groundingMetadata` and `citationMetadata`. */
export function writeSources(texts: readonly SourcedText[], losses: LossList): JsonObject {
  const chunks = new Chunks()
  const groundingSupports: JsonObject[] = []
  const recited: JsonObject[] = []
  const sourced = texts.filter(({ citations }) => citations.length > 0)
  // Offsets count from the start of one text, and the format does not say which text.
  if (sourced.length > 1 || (sourced.length === 1 && texts.at(-1) !== sourced[0])) approximate(losses)
  for (const { text, citations } of sourced) {
    const offsets = new TextOffsets(text, 'bytes')
    for (const citation of citations) {
      const segment = writeSegment(citation, offsets, losses)
      const recitation = writeRecitation(citation, segment, losses)
      if (recitation !== undefined) {
        recited.push(recitation)
        continue
      }
      const index = chunks.path(writeChunk(citation, losses))
      groundingSupports.push({ segment, groundingChunkIndices: [index] })
    }
  }
  return omitUndefined({
    groundingMetadata:
      chunks.all.length === 0 ? undefined : { groundingChunks: chunks.all, groundingSupports },
    citationMetadata: recited.length === 0 ? undefined : { citations: recited },
  })
}

function approximate(losses: LossList): void {
  losses.lose('citations', 'approximated')
}

/** A range of the text in UTF-8 bytes, the format's unit. The format leaves out an offset of 0. */
function writeSegment(
  { startIndex, endIndex }: Citation,
  offsets: TextOffsets,
  losses: LossList,
): JsonObject {
  const { text } = offsets
  if (startIndex === undefined && endIndex === undefined) return {}
  const start = startIndex ?? 0
  const isStretch = endIndex !== undefined && start >= 0 && start < endIndex && endIndex <= text.length
  const covered = isStretch ? text.slice(start, endIndex) : ''
  if (startIndex === undefined || covered === '' || !covered.isWellFormed()) {
    approximate(losses)
    return {}
  }
  const from = offsets.from(start)
  return {
    ...(from === 0 ? {} : { startIndex: from }),
    endIndex: from + Buffer.byteLength(covered, 'utf8'),
    text: covered,
  }
}

function writeRecitation(
  { url, title, citedText, extras }: Citation,
  { text: _text, ...segment }: JsonObject,
  losses: LossList,
): JsonObject | undefined {
  const own = extras?.format === 'gemini' ? extras.fields['citationMetadata'] : undefined
  if (!isJsonObject(own)) return undefined
  if (citedText !== undefined) approximate(losses)
  return joinFields(omitUndefined({ uri: url, title, ...segment }), own)
}

/** The format has a field for the quoted text of a retrieved passage, but not for that of a web page. */
function writeChunk({ url, title, citedText, extras }: Citation, losses: LossList): JsonObject {
  const own = extras?.format === 'gemini' ? extras.fields : {}
  if (extras?.format !== 'gemini') loseExtras(extras, { losses, path: 'candidates.groundingMetadata' })
  const source = omitUndefined({ uri: url, title, text: citedText })
  if (own['retrievedContext'] !== undefined) return joinFields({ retrievedContext: source }, own)
  const { text, ...page } = source
  if (text !== undefined) approximate(losses)
  return joinFields({ web: page }, own)
}

/** The distinct sources in order. A repeated source keeps its first index. */
class Chunks {
  readonly all: JsonObject[] = []
  readonly #places = new Map<string, number>()

  path(chunk: JsonObject): number {
    const written = JSON.stringify(chunk)
    const known = this.#places.get(written)
    if (known !== undefined) return known
    this.#places.set(written, this.all.length)
    return this.all.push(chunk) - 1
  }
}

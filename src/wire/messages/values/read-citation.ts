import { UNSIGNED } from '../../../canonical/carried-reasoning.ts'
import type { Citation } from '../../../canonical/content.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { citationTitleField } from '../blocks/citation-title-field.ts'
import { readExtras } from './extras.ts'

/**
 * Reads a citation. The URL, title and quote of the source have canonical names. The position in the source
 * (characters, pages or blocks, which are not offsets into the answer) and the kind of citation stay unchanged.
 */
export function readCitation(citation: JsonObject): Citation {
  const titleField = citationTitleField(citation['type'])
  const url = textOf(citation['url'])
  const title = textOf(citation[titleField])
  const citedText = textOf(citation['cited_text'])
  const named: Record<string, 'named'> = {}
  if (url !== undefined) named['url'] = 'named'
  if (title !== undefined) named[titleField] = 'named'
  if (citedText !== undefined) named['cited_text'] = 'named'
  return {
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(citedText === undefined ? {} : { citedText }),
    // The mark identifies a citation of another format. Its kind was chosen only to write it for the caller.
    ...(citation['encrypted_index'] === UNSIGNED ? {} : readExtras(citation, named)),
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { withExtras } from './extras.ts'

/**
 * Writes a citation as an annotation. A source without a URL cannot be carried. The format requires a title and
 * offsets, so missing ones are filled in.
 */
export function writeCitation(citation: Citation, losses: LossList): JsonObject | undefined {
  const { url, title, startIndex, endIndex, citedText } = citation
  if (url === undefined) {
    losses.lose('citations', 'dropped')
    return undefined
  }
  if (title === undefined || startIndex === undefined || endIndex === undefined) {
    losses.lose('citations', 'defaulted')
  }
  const source = omitUndefined({
    url,
    title: title ?? '',
    start_index: startIndex ?? 0,
    end_index: endIndex ?? 0,
    content: citedText,
  })
  const written = { type: 'url_citation', url_citation: source }
  return withExtras(written, citation.extras, { losses, path: 'choices.message.annotations' })
}

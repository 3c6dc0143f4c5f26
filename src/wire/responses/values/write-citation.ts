import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { withExtras } from './extras.ts'

/**
 * Writes a citation. A source without a URL cannot be carried, unless it is this format's own. The format requires
 * offsets and a title.
 */
export function writeCitation(citation: Citation, losses: LossList): JsonObject | undefined {
  const { url, title, startIndex, endIndex, citedText, extras } = citation
  if (url === undefined) {
    const own = extras?.format === 'responses' ? extras.fields : undefined
    if (own === undefined) losses.lose('citations', 'dropped')
    return own
  }
  if (citedText !== undefined) losses.lose('citations', 'approximated')
  if (title === undefined || startIndex === undefined || endIndex === undefined) {
    losses.lose('citations', 'defaulted')
  }
  const written = omitUndefined({
    type: 'url_citation',
    url,
    title: title ?? '',
    start_index: startIndex ?? 0,
    end_index: endIndex ?? 0,
  })
  return withExtras(written, extras, { losses, path: 'messages.content.annotations' })
}

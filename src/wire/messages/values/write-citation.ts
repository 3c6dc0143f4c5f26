import { UNSIGNED } from '../../../canonical/carried-reasoning.ts'
import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { citationTitleField } from '../blocks/citation-title-field.ts'
import { withExtras } from './extras.ts'

/** Writes a citation of this format. Others are dropped, since they have no index that the provider would accept. */
export function writeCitation(citation: Citation, losses: LossList): JsonObject | undefined {
  const { url, title, citedText, startIndex, endIndex, extras } = citation
  if (extras?.format !== 'messages') {
    losses.lose('citations', 'dropped')
    return undefined
  }
  if (startIndex !== undefined || endIndex !== undefined) {
    losses.lose('citations', 'approximated')
  }
  const written = {
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { [citationTitleField(extras.fields['type'])]: title }),
    ...(citedText === undefined ? {} : { cited_text: citedText }),
  }
  return withExtras(written, extras, { losses, path: 'citations' })
}

/**
 * Writes a citation for a caller. A citation of another format becomes the citation of a web search result with the
 * known fields, since no other kind has a URL. Its index is marked as absent, and the format's own provider would
 * refuse such a citation. Without a URL it cannot be carried.
 */
export function writeReplyCitation(citation: Citation, losses: LossList): JsonObject | undefined {
  const { url, title, citedText, extras } = citation
  if (extras?.format === 'messages' || url === undefined) return writeCitation(citation, losses)
  losses.lose('citations', 'approximated')
  withExtras({}, extras, { losses, path: 'citations' })
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: citedText ?? '',
    encrypted_index: UNSIGNED,
  }
}

import { UNSIGNED } from '../../../canonical/carried-reasoning.ts'
import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { citationTitleField } from '../blocks/citation-title-field.ts'
import { withExtras } from './extras.ts'

/** A citation that the messages format made itself. A foreign one has no index that the provider would accept. */
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
 * A citation for a caller to read. One of another format becomes a web search's result with the known fields, since
 * that kind alone has an address; its index is marked as absent, which the format's own provider would refuse. Without
 * an address it cannot be carried.
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

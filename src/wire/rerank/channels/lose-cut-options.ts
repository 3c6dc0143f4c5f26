import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { RerankRequest } from '../../../canonical/operations/rerank.ts'

/** Declares the truncation options as lost, for a channel with no options for the truncation of long documents. */
export function loseCutOptions(request: RerankRequest): LossList {
  const losses = createLossList()
  if (request.truncation === false) losses.lose('foreign-field', 'dropped', 'truncation')
  if (request.maxTokensPerDocument !== undefined)
    losses.lose('foreign-field', 'dropped', 'max_tokens_per_doc')
  return losses
}

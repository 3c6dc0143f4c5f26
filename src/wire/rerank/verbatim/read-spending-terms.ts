import { DOCUMENTS_A_SEARCH_UNIT, SEARCH_UNIT } from '../../../canonical/operations/rerank.ts'
import { isJsonArray } from '../../../kit/json/json.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { fieldsMayHold } from '../../verbatim/find-in-body.ts'
import { readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** Documents are texts; servers that rank more take objects with an image. */
const objectDocument = /"(?:image|image_url|video|audio)"\s*:/

/**
 * A document of more than 500 tokens is cut into parts that are billed as documents of their own
 * (https://docs.cohere.com/docs/rerank-overview, seen 2026-11-24). A token is at least one byte.
 */
const MIN_PART_BYTES = 500

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  return {
    ...termsWithoutOutput,
    hasMedia: () => fieldsMayHold(scanned, ['documents'], objectDocument),
    repeatedBytes: () => repeatedBytes(scanned),
    billedTools: () => [{ name: SEARCH_UNIT, maxCalls: maxSearchUnits(scanned) }],
  }
}

/** The query is read with each document. */
function repeatedBytes(scanned: ScannedRequest): number {
  const query = scanned.fields.get('query')
  const queryBytes = query === undefined ? 0 : query.valueEnd - query.valueStart
  return queryBytes * (countDocuments(scanned) - 1)
}

/** The most search units that the documents can be. */
function maxSearchUnits(scanned: ScannedRequest): number {
  const parts = Math.ceil((scanned.body.length + repeatedBytes(scanned)) / MIN_PART_BYTES)
  return Math.ceil((countDocuments(scanned) + parts) / DOCUMENTS_A_SEARCH_UNIT)
}

function countDocuments(scanned: ScannedRequest): number {
  const documents = readSent(scanned, 'documents')
  return isJsonArray(documents) ? Math.max(1, documents.length) : 1
}

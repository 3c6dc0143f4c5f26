import { DOCUMENTS_A_SEARCH_UNIT, SEARCH_UNIT } from '../../../canonical/operations/rerank.ts'
import { lazy } from '../../../kit/async/lazy.ts'
import { isJsonArray } from '../../../kit/json/json.ts'
import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../../verbatim/find-in-body.ts'
import { readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** Searches for a document with media. Documents are usually texts, but some servers accept objects with an image. */
const objectDocument: BodySearch = {
  words: watchedWords({ names: ['image', 'image_url', 'video', 'audio'] }),
  pattern: /"(?:image|image_url|video|audio)"\s*:/,
}

/**
 * The minimum bytes of a billed part. A document of more than 500 tokens is split into parts, each billed as a document
 * (https://docs.cohere.com/docs/rerank-overview, seen 2026-11-24). A token is at least one byte.
 */
const MIN_PART_BYTES = 500

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  // The list is parsed only once, even if the terms are read several times.
  const documents = lazy(() => countDocuments(scanned))
  const repeatedBytes = () => bytesOfQuery(scanned) * (documents() - 1)
  /** The maximum number of search units for the documents. */
  const maxSearchUnits = () => {
    const parts = Math.ceil((scanned.body.length + repeatedBytes()) / MIN_PART_BYTES)
    return Math.ceil((documents() + parts) / DOCUMENTS_A_SEARCH_UNIT)
  }
  return {
    ...termsWithoutOutput,
    hasMedia: () => fieldsMayHold(scanned, ['documents'], objectDocument),
    repeatedBytes,
    billedTools: () => [{ name: SEARCH_UNIT, maxCalls: maxSearchUnits() }],
  }
}

/** The size of the query, which the model reads again with each document. */
function bytesOfQuery({ fields }: ScannedRequest): number {
  const query = fields.get('query')
  return query === undefined ? 0 : query.valueEnd - query.valueStart
}

function countDocuments(scanned: ScannedRequest): number {
  const texts = scanned.fields.get('documents')?.texts ?? 0
  if (texts > 0) return texts
  const documents = readSent(scanned, 'documents')
  return isJsonArray(documents) ? Math.max(1, documents.length) : 1
}

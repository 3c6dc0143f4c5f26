import type { RerankReply } from '../../../canonical/operations/rerank.ts'
import { isJsonArray, isJsonObject } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import { findOnlyList } from './find-only-list.ts'
import { describeReply, listResultsOf } from './read-reply.ts'
import { ResultScanner } from './result-scanner.ts'

/** A longer answer is parsed, in several turns of the event loop. Whitespace can make any answer long. */
const MAX_SCANNED_BYTES = 256 * 1024
/** The maximum size of an answer without its list. This rest has just a model and the usage. */
const MAX_REST_BYTES = 4_096

/**
 * Reads an answer without creating objects for its results, which would cost the garbage collector more than all the
 * rest of a rerank request. The results must be in order, with only an index and a score. Undefined if the answer must
 * be parsed.
 */
export function scanReply(answer: Buffer, documents: number): RerankReply | undefined {
  const list = answer.length > MAX_SCANNED_BYTES ? undefined : findOnlyList(answer)
  if (list === undefined || answer.length - (list.end - list.start) > MAX_REST_BYTES) return undefined
  const resultCount = new ResultScanner(answer, documents).countInOrder(list)
  if (resultCount === undefined) return undefined
  const rest = tryParsePlainJson(
    `${answer.toString('utf8', 0, list.start)}[]${answer.toString('utf8', list.end)}`,
  )
  if (!isJsonObject(rest) || !isJsonArray(rest['results'] ?? rest['data'])) return undefined
  const listResults = () => listResultsOf(tryParsePlainJson(answer.toString('utf8', list.start, list.end)))
  return { ...describeReply(rest), resultCount, listResults, isInOrder: true }
}

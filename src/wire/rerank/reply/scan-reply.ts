import type { RerankReply } from '../../../canonical/operations/rerank.ts'
import { isJsonArray, isJsonObject } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import { findOnlyList } from './find-only-list.ts'
import { describeReply, listResultsOf } from './read-reply.ts'
import { ResultScanner } from './result-scanner.ts'

/** A longer answer is parsed, in several turns of the event loop: white space alone can make it long. */
const MAX_SCANNED_BYTES = 256 * 1024
/** The rest of an answer names a model and what was used. */
const MAX_REST_BYTES = 4_096

/**
 * Reads an answer whose results are in order and have nothing but an index and a score, without making objects of them:
 * those cost the collector more than all else of a ranking. Undefined where the answer must be parsed.
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

import { createFailure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { loseCutOptions } from './lose-cut-options.ts'
import { writeTexts } from './write-documents.ts'

/**
 * The ranking API of Google Cloud
 * (https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.rankingConfigs/rank,
 * seen 2026-11-28). Records are texts with an ID. The answer has the IDs with their scores, and no usage.
 */
export const vertexRerank: ChannelRerank = {
  path: '/rankingConfigs/default_ranking_config:rank',
  writeRequest(request, model) {
    const losses = loseCutOptions(request)
    const value = omitUndefined({
      model,
      query: request.query,
      records: writeTexts(request.documents).map((content, index) => ({ id: String(index), content })),
      topN: request.topN,
      ignoreRecordDetailsInResponse: true,
    })
    return { value, losses: losses.all }
  },
  readReply(body, documents) {
    const records = isJsonObject(body) ? body['records'] : undefined
    if (records === undefined) return readReply(body, documents)
    if (!isJsonArray(records)) return createFailure('upstream_bad_response')
    return readReply({ results: records.map(readRecord) }, documents)
  },
}

/** Converts a record to a result with the field names of the other providers. */
function readRecord(record: JsonValue): JsonValue {
  if (!isJsonObject(record)) return record
  const { id, score } = record
  return { index: typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : null, score: score ?? null }
}

import { isFailure } from '../../../canonical/failure.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { geminiEmbeddings } from '../embeddings/gemini-embeddings.ts'

/** Reads what the gateway must know of an answer that passes through byte for byte. */
export function watchVectors(body: JsonValue): WatchedReply {
  const reply = geminiEmbeddings.readReply(body)
  return isFailure(reply) ? { failure: reply } : omitUndefined({ usage: reply.usage })
}

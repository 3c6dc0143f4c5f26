import type { CallOutcome } from '../../admin/certification/call-channel.ts'
import { isFailure } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { callerFormats } from '../formats.ts'

const FLOAT_BYTES = 4

/** Reads the vectors of an answer in OpenAI's embeddings format. Undefined for any other answer. */
export function readVectors(json: JsonObject | undefined): CallOutcome | undefined {
  const reply = callerFormats.embeddings.readReply(json ?? {})
  if (isFailure(reply)) return undefined
  const vectors = reply.vectors.map((vector) =>
    vector.encoding === 'float' ? vector.values : decodeFloats(vector.data),
  )
  return { type: 'vectors', vectors }
}

function decodeFloats(base64: string): readonly number[] {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, index) =>
    bytes.readFloatLE(index * FLOAT_BYTES),
  )
}

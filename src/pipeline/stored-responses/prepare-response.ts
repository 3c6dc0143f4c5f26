import type { KeyId } from '../../access/key.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Random } from '../../kit/random/random.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import { writePreparedResponse } from '../../wire/responses/socket/write-socket-events.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'
import type { ResponseMemory } from '../exchange/response-memory.ts'
import { readPreviousId } from './find-prior-state.ts'
import { makeResponseId } from './response-ids.ts'

export interface PreparedRequest {
  readonly scanned: ScannedRequest
  readonly keyId: KeyId
  readonly nowMs: number
}

/** Stores the input of a request that generates nothing. Returns the response that a later request can continue. */
export function prepareResponse(
  { scanned, keyId, nowMs }: PreparedRequest,
  memory: ResponseMemory,
  random: Random,
): JsonObject {
  const previousId = readPreviousId(scanned)
  const id = makeResponseId(random)
  const response = writePreparedResponse({
    id,
    previousResponseId: previousId,
    model: scanned.model,
    createdAtSeconds: unixSeconds(nowMs),
  })
  const field = scanned.fields.get('input')
  const input = field === undefined ? '[]' : scanned.body.textOf(field)
  memory.put({
    keyId,
    id,
    previousId,
    links: previousId === undefined ? 0 : 1,
    askedName: scanned.model,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + HOUR_MS,
    owner: undefined,
    itemIds: [],
    content: {
      type: 'present',
      input: `{"groups":[{"items":${input}}]}`,
      response: JSON.stringify(response),
    },
  })
  return response
}

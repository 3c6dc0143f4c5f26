import { GatewayError } from '../../canonical/failure.ts'
import type { StoredResponse } from '../../objects/stored-response.ts'
import type { CallerRequest, StoredResponseRequest } from '../exchange/caller-request.ts'
import type { ExchangeRecord } from '../exchange/exchange-record.ts'
import type { Gateway } from '../gateway.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { ResponseWriter } from '../response/response-writer.ts'

export interface ServeInput {
  readonly callerRequest: CallerRequest
  readonly request: StoredResponseRequest
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly record: ExchangeRecord
  readonly gateway: Gateway
}

/** The same for an id that another key owns and for one that nobody knows. */
export function responseNotFound(id: string, stored?: StoredResponse): GatewayError {
  const shown = JSON.stringify(id.slice(0, 128))
  const isTooLarge = stored?.content.type === 'absent' && stored.content.reason === 'too-large'
  const reason = isTooLarge
    ? 'it was larger than this gateway stores'
    : 'this key has no stored response of that id'
  return new GatewayError('response_not_found', {
    message: `Response with id ${shown} not found: ${reason}.`,
  })
}

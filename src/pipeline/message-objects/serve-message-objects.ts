import { badAnswer } from '../batches/call-provider.ts'
import { findObject, type ObjectCall, ownerOf, sendObject } from '../batches/object-input.ts'
import type { OpenLine } from '../batches/read-batch-input.ts'
import { showLines, streamAnswer } from '../batches/stream-answer.ts'
import type { RequestedMessageBatch, RequestedMessageFile } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { lookAtMessageBatch, pathOfBatch } from './follow-message-batch.ts'
import { serveMessageBatch } from './serve-message-batches.ts'
import { sendMessageFile, serveMessageFile } from './serve-message-files.ts'
import { showResultLine } from './show-message-objects.ts'

/** Serves a request for a batch or a file in Anthropic's format. Rejects with `GatewayError`. */
export function serveMessageObject(
  call: ObjectCall,
  requested: RequestedMessageBatch | RequestedMessageFile,
  openLine: OpenLine,
): Promise<ExchangeOutcome> {
  return requested.type === 'message-batch'
    ? serveBatch(call, requested, openLine)
    : serveFile(call, requested)
}

async function serveBatch(
  call: ObjectCall,
  { action, id }: RequestedMessageBatch,
  openLine: OpenLine,
): Promise<ExchangeOutcome> {
  if (action === 'results') return sendResults(call, id)
  return sendObject(call, JSON.stringify(await serveMessageBatch(call, { action, id }, openLine)))
}

async function serveFile(call: ObjectCall, { action, id }: RequestedMessageFile): Promise<ExchangeOutcome> {
  if (action === 'content') return sendMessageFile(call, id)
  return sendObject(call, JSON.stringify(await serveMessageFile(call, { action, id })))
}

/** Sends the results of a batch as they arrive. A batch that is not billed yet is first billed by its results. */
async function sendResults(call: ObjectCall, id: string): Promise<ExchangeOutcome> {
  const found = await findObject(call, 'message-batch', id)
  const batch = found.pollAtMs === undefined ? found : (await lookAtMessageBatch(found, call)).batch
  const show = (line: Buffer) => {
    const shown = showResultLine(line, id)
    if (shown === undefined) throw badAnswer('a line of the results is no JSON object')
    return shown
  }
  return streamAnswer(call, {
    owner: ownerOf(batch, call),
    path: pathOfBatch(batch, '/results'),
    ...showLines(show),
  })
}

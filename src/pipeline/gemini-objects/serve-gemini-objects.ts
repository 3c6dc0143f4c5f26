import type { JsonObject } from '../../kit/json/json.ts'
import type { ObjectCall } from '../batches/object-input.ts'
import type { AskedCachedContent, AskedGeminiFile } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { serveCachedContent } from './serve-cached-contents.ts'
import { serveGeminiFile } from './serve-gemini-files.ts'
import { continueUpload, type SessionAnswer, startUpload } from './upload-session.ts'

/** Serves a request for a file or cached content of Gemini's form. Rejects with `GatewayError`. */
export async function serveGeminiObject(
  call: ObjectCall,
  asked: AskedGeminiFile | AskedCachedContent,
): Promise<ExchangeOutcome> {
  const { headers, body } = await answer(call, asked)
  call.writer.sendWhole({ status: 200, headers, body })
  return { type: 'answered' }
}

async function answer(call: ObjectCall, asked: AskedGeminiFile | AskedCachedContent): Promise<SessionAnswer> {
  if (asked.type === 'cached-content') return withoutHeaders(await serveCachedContent(call, asked))
  if (asked.action === 'start') return startUpload(call)
  if (asked.action === 'continue') return continueUpload(call, asked.id)
  return withoutHeaders(await serveGeminiFile(call, asked))
}

function withoutHeaders(body: JsonObject): SessionAnswer {
  return { headers: {}, body: JSON.stringify(body) }
}

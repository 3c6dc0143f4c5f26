import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { OperationId } from '../../src/canonical/format.ts'
import type { BodyFormatId } from './body-formats.ts'
import { testKey } from './start-gateway.ts'

export interface Asked {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** All that arrived, even where the connection broke. */
  readonly body: Buffer
  /** The connection broke before the body was whole. */
  readonly isCut: boolean
}

export interface AskOptions {
  /** Called with all that has arrived so far, at each arrival. */
  readonly onBytes?: (soFar: Buffer) => void
  readonly agent?: Agent
}

/** The operations whose bodies name the model. */
export type BodyOperationId = Exclude<
  OperationId,
  'gemini' | 'bedrock-converse' | 'gemini-count-tokens' | 'embed-content' | 'batch-embed-contents'
>

export const operationPaths: Readonly<Record<BodyOperationId, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  'count-tokens': '/v1/messages/count_tokens',
  rerank: '/v1/rerank',
  moderations: '/v1/moderations',
  'image-generations': '/v1/images/generations',
  'image-edits': '/v1/images/edits',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
  speech: '/v1/audio/speech',
  'ollama-chat': '/api/chat',
  'ollama-generate': '/api/generate',
  'ollama-embed': '/api/embed',
  'ollama-embeddings': '/api/embeddings',
}

/** One request over a real socket, read to its end without any client's own opinion of it. */
export function ask(
  { url, format }: { readonly url: string; readonly format: BodyOperationId },
  body: object,
  { onBytes, agent }: AskOptions = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const call = request(`${url}${operationPaths[format]}`, { method: 'POST', headers, agent })
    call.on('error', reject)
    call.on('response', (answer) => readAll(answer, onBytes).then(resolve, reject))
    call.end(JSON.stringify(body))
  })
}

function readAll(answer: IncomingMessage, onBytes: AskOptions['onBytes']): Promise<Asked> {
  const { statusCode: status = 0, headers } = answer
  let body = Buffer.alloc(0)
  return new Promise((resolve) => {
    answer.on('data', (chunk: Buffer) => {
      body = Buffer.concat([body, chunk])
      onBytes?.(body)
    })
    answer.on('error', () => undefined)
    answer.on('close', () => resolve({ status, headers, body, isCut: !answer.complete }))
  })
}

/** The events of a `text/event-stream`, each with its own bytes, blank line included. Knows nothing of the product. */
export function splitEvents(stream: string): readonly string[] {
  return stream.match(/[\s\S]*?(?:(?:\r\n){2,}|\n{2,}|\r{2,})|[\s\S]+$/g) ?? []
}

/** The data of an event, where it is JSON. */
export function dataOfEvent(event: string): unknown {
  const line = event.split(/\r\n|\n|\r/).find((each) => each.startsWith('data:'))
  try {
    return line === undefined ? undefined : JSON.parse(line.slice('data:'.length))
  } catch {
    return undefined
  }
}

const terminators: Readonly<Record<BodyFormatId, RegExp>> = {
  chat: /^data: ?\[DONE\]/m,
  messages: /^event: ?message_stop/m,
  responses: /^event: ?response\.(?:completed|incomplete)/m,
}

/** Whether the answer ends as a good stream of its format does. */
export function isTerminated(format: BodyFormatId, stream: string): boolean {
  return terminators[format].test(stream)
}

/**
 * The number of events that the error at the end of a stream consists of: a failed response is repeated once
 * more behind it.
 */
export const errorEvents: Readonly<Record<BodyFormatId, number>> = { chat: 1, messages: 1, responses: 2 }

/** The error that the last event of a stream is, in the format's own shape; undefined where it is no error. */
export function errorAtEnd(
  format: BodyFormatId,
  stream: string,
): Readonly<Record<string, unknown>> | undefined {
  const last = splitEvents(stream).at(-errorEvents[format]) ?? ''
  const data = dataOfEvent(last)
  if (typeof data !== 'object' || data === null || !('error' in data)) return undefined
  const { error } = data
  if (typeof error !== 'object' || error === null) return undefined
  if (format !== 'chat' && !last.startsWith('event: error\n')) return undefined
  return { ...error }
}

import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'
import { tryParseJson } from '../../../src/kit/json/try-parse-json.ts'

/** The format of a request. The answer to `other` is 404. */
export type FaultFormat =
  | 'chat'
  | 'messages'
  | 'completions'
  | 'embeddings'
  | 'count-tokens'
  | 'models'
  | 'other'

/** The part of a request that the rules and the answers need. */
export interface FaultCall {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: ReadonlyMap<string, string>
  readonly format: FaultFormat
  readonly credential: string | undefined
  /** Empty if the body is not a JSON object. */
  readonly body: JsonObject
  readonly model: string | undefined
  readonly isStream: boolean
}

export interface RequestHead {
  readonly method: string
  readonly path: string
  /** Names in lower case; of equal names, the last value. */
  readonly headers: ReadonlyMap<string, string>
}

const endings: readonly (readonly [string, FaultFormat])[] = [
  ['/chat/completions', 'chat'],
  ['/messages/count_tokens', 'count-tokens'],
  ['/messages', 'messages'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/models', 'models'],
]

/** Reads what a request asks for. Never throws. */
export function readFaultCall(head: RequestHead, bytes: Buffer): FaultCall {
  const body = readObject(bytes)
  const { model, stream } = body
  return {
    ...head,
    format: formatOf(head.path),
    credential: readCredential(head.headers),
    body,
    model: typeof model === 'string' ? model : undefined,
    isStream: stream === true,
  }
}

function formatOf(path: string): FaultFormat {
  const plain = path.split('?')[0] ?? ''
  return endings.find(([ending]) => plain.endsWith(ending))?.[1] ?? 'other'
}

function readCredential(headers: ReadonlyMap<string, string>): string | undefined {
  const bearer = headers.get('authorization')?.replace(/^Bearer +/i, '')
  return headers.get('x-api-key') ?? headers.get('api-key') ?? headers.get('x-goog-api-key') ?? bearer
}

function readObject(bytes: Buffer): JsonObject {
  const value = tryParseJson(bytes.toString('utf8'))
  return isJsonObject(value) ? value : {}
}

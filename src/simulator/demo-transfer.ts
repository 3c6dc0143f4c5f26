import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { tryParsePlainJson } from '../kit/json/try-parse-json.ts'
import { DemoError } from './demo-error.ts'

const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Reads the body of a request as a JSON object. Throws `DemoError`. */
export async function readJsonBody(incoming: IncomingMessage): Promise<JsonObject> {
  const value = parseBody((await readBytes(incoming)).toString('utf8'))
  if (!isJsonObject(value)) throw new DemoError(400, 'The body must be a JSON object.')
  return value
}

/** Reads the bytes of a body. Throws `DemoError` where the body is too large. */
export async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of incoming) {
    size += part.length
    if (size > MAX_BODY_BYTES) throw new DemoError(413, 'The body is too large for the demo.')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function parseBody(text: string): unknown {
  const value = tryParsePlainJson(text)
  if (value === undefined) throw new DemoError(400, 'The body is not valid JSON.')
  return value
}

export function sendJson(outgoing: ServerResponse, status: number, value: JsonObject): void {
  const body = JSON.stringify(value)
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  outgoing.end(body)
}

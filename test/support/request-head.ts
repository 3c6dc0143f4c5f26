import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { RequestHead } from '../../src/server/request-head.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'

/** The head of a request with these headers, over a connection that is not encrypted. */
export function createRequestHead(headers: Readonly<Record<string, string>> = {}): RequestHead {
  const message = new IncomingMessage(new Socket())
  Object.assign(message.headers, headers)
  return {
    requestId: 'req_1',
    startedAtMs: 0,
    address: '127.0.0.1',
    path: '/',
    query: '',
    format: chatFormat,
    message,
  }
}

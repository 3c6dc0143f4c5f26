import { expect, it } from 'vitest'
import { readSocketHeaders } from './read-socket-headers.ts'

it('drops handshake headers, and an idempotency key that would apply to all requests', () => {
  const headers = readSocketHeaders({
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'x',
    'sec-websocket-version': '13',
    'sec-websocket-extensions': 'permessage-deflate',
    'sec-websocket-protocol': 'realtime',
    'idempotency-key': 'k',
    authorization: 'Bearer sk-hg-1',
    'user-agent': 'codex',
  })
  expect(headers).toEqual({ authorization: 'Bearer sk-hg-1', 'user-agent': 'codex' })
})

it.each([
  ['responses_websockets=2026-02-06', undefined],
  ['responses_websockets, assistants=v2', 'assistants=v2'],
  ['assistants=v2,realtime=v1', 'assistants=v2, realtime=v1'],
  ['responses_websockets_v2', 'responses_websockets_v2'],
])('turns the beta features %j into %j', (features, left) => {
  expect(readSocketHeaders({ 'openai-beta': features })['openai-beta']).toEqual(left)
})

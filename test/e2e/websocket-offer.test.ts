import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { openRawClient } from '../support/raw-client.ts'

const offer = [
  'GET /v1/responses HTTP/1.1',
  'host: x',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')
const health = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'

it('a WebSocket upgrade on the Responses path is a final 426 that names the alternative', async () => {
  await using open = await openGateway({ scripts: [{}], more: 'websocket: off\n' })
  const client = await openRawClient(open.gateway.port)
  client.send(`${health}${offer}\x81\x85frame${health}`)
  expect(await client.ended).toBe('fin')
  const [first, second, ...others] = client.text.split(/HTTP\/1\.1 (?=\d)/).slice(1)
  expect(others).toEqual([])
  expect(first).toMatch(/^200 /)
  expect(second).toMatch(/^426 Upgrade Required\r\n/)
  expect(second).toMatch(/^upgrade: HTTP\/1\.1\r$/im)
  expect(second).toMatch(/^connection: upgrade, close\r$/im)
  expect(JSON.parse(second?.split('\r\n\r\n')[1] ?? '')).toEqual({
    error: {
      message: expect.stringContaining('Send POST /v1/responses'),
      type: 'invalid_request_error',
      param: null,
      code: 'upgrade_required',
    },
  })
})

it('a WebSocket client fails at once, also at a path with a doubled version', async () => {
  await using open = await openGateway({ scripts: [{}], more: 'websocket: off\n' })
  for (const path of ['/v1/responses', '/v1/v1/responses?x=1']) {
    const socket = new WebSocket(open.gateway.url.replace('http', 'ws') + path)
    await once(socket, 'error')
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  }
})

it('a GET without a WebSocket upgrade on the Responses path is 405', async () => {
  await using open = await openGateway({ scripts: [{}], more: 'websocket: off\n' })
  const answer = await fetch(`${open.gateway.url}/v1/responses`)
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
})

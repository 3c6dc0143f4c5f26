import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { probeServer } from './probe-server.ts'

/** A development server, which answers every path with its page, save those below `/v1`. */
const server = createServer((request, response) => {
  const isApi = request.url?.startsWith('/v1/') === true
  response.setHeader('content-type', isApi ? 'application/json' : 'text/html; charset=utf-8')
  response.statusCode = request.url === '/v1/missing' ? 404 : 200
  response.end(isApi ? '{}' : '<!doctype html>')
})
let origin = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
})
afterAll(() => {
  server.close()
})

test.each([
  ['JSON says that the server is there', '/v1/models', true],
  ['a page does not', '/api/version', false],
  ['nor does another status', '/v1/missing', false],
])('%s', async (_behaviour, path, answer) => {
  expect(await probeServer(origin + path, 2_000)).toBe(answer)
})

test('an address without a server gives no answer', async () => {
  expect(await probeServer('http://127.0.0.1:1/v1/models', 2_000)).toBe(false)
  expect(await probeServer('https://127.0.0.1:1/v1/models', 2_000)).toBe(false)
})

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { sendForStream, sendRequest } from './send-request.ts'

async function openServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
}

test.each([
  ['a request', 'no answer', sendRequest, () => undefined],
  ['a request', 'half an answer', sendRequest, (_, response) => void response.write('{')],
  ['a download', 'no answer', sendForStream, () => undefined],
] satisfies [
  string,
  string,
  (sent: Parameters<typeof sendRequest>[0]) => Promise<unknown>,
  RequestListener,
][])(
  '%s to a server that hangs and gives %s says for how long it did not answer',
  async (_what, _gives, send, listener) => {
    const url = await openServer(listener)
    const sent = { url, method: 'GET', headers: {}, timeoutMs: 1 }
    await expect(send(sent)).rejects.toThrow('it did not answer within 0.001 s')
  },
)

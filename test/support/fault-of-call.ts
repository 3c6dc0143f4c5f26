import { once } from 'node:events'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { openUpstream } from '../../src/upstream/open-upstream.ts'
import type { TransportFault } from '../../src/upstream/transport-fault.ts'
import type { UpstreamRequest } from '../../src/upstream/upstream.ts'
import { emptyBody } from '../../src/upstream/upstream-body.ts'

/** Calls a server, which closes with the test. Gives the fault of the call, and rejects if there is an answer. */
export async function faultOfCall(
  server: Server,
  { scheme, ...more }: { readonly scheme: 'http' | 'https' } & Pick<UpstreamRequest, 'authorities'>,
): Promise<TransportFault> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const request: UpstreamRequest = {
    method: 'POST',
    origin: `${scheme}://127.0.0.1:${port}`,
    pathAndQuery: '/',
    headers: {},
    body: emptyBody,
    connectTimeoutMs: 2_000,
    allowPrivate: true,
    ...more,
  }
  return new Promise((resolve, reject) => {
    const onAnswer = () => reject(new Error('there was an answer'))
    upstream.call(request, { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault: resolve })
  })
}

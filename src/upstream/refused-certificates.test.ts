import { once } from 'node:events'
import { createServer } from 'node:https'
import { expect, it, onTestFinished } from 'vitest'
import { readIdentity } from '../../test/support/certificate.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import { emptyBody } from './upstream-body.ts'

/** Serves with an identity whose certificate the call trusts, and gives the fault of the call. */
async function faultBefore(name: 'weak' | 'client-only'): Promise<TransportFault> {
  const identity = readIdentity(name)
  // The lowest security level, since OpenSSL would otherwise not serve with a weak key.
  const server = createServer(
    { ...identity, ciphers: 'DEFAULT@SECLEVEL=0' },
    (_message, answer) => void answer.end(),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const request = {
    method: 'GET',
    origin: `https://127.0.0.1:${port}`,
    pathAndQuery: '/',
    headers: {},
    body: emptyBody,
    connectTimeoutMs: 2_000,
    allowPrivate: true,
    authorities: { id: name, pem: identity.cert },
  } as const
  return new Promise((resolve, reject) => {
    const onAnswer = () => reject(new Error('there was an answer'))
    upstream.call(request, { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault: resolve })
  })
}

it.each([
  ['weak', 'UNSPECIFIED: EE certificate key too weak'],
  ['client-only', 'INVALID_PURPOSE: unsuitable certificate purpose'],
] as const)(
  'a certificate that OpenSSL refuses for a rare reason is a fault of TLS and no broken connection: %s',
  async (name, message) => {
    expect(await faultBefore(name)).toEqual({ kind: 'tls', message, onReusedConnection: false })
  },
)

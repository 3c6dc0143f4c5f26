import { createServer } from 'node:https'
import { expect, it } from 'vitest'
import { readIdentity } from '../../test/support/certificate.ts'
import { faultOfCall } from '../../test/support/fault-of-call.ts'

/** Serves with an identity whose certificate the call trusts, and gives the fault of the call. */
function faultBefore(name: 'weak' | 'client-only') {
  const identity = readIdentity(name)
  // The lowest security level, since OpenSSL would otherwise not serve with a weak key.
  const options = { ...identity, ciphers: 'DEFAULT@SECLEVEL=0' }
  const server = createServer(options, (_message, answer) => void answer.end())
  return faultOfCall(server, { scheme: 'https', authorities: { id: name, pem: identity.cert } })
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

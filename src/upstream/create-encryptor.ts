import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { systemClock } from '../kit/time/clock.ts'
import { TlsTimeoutError } from './transport-fault.ts'

export interface EncryptorOptions {
  /** The timeout of the TLS handshake only. Connecting the socket has a timeout of its own. */
  readonly tlsTimeoutMs: number
  /** The trusted certificates, where the channel adds some to the machine's own. */
  readonly secureContext: SecureContext | undefined
}

export type Encrypt = (
  target: buildConnector.Options & { readonly httpSocket: Socket },
  callback: buildConnector.Callback,
) => void

/** Creates a function that performs the TLS handshake on a connected socket. */
export function createEncryptor({ tlsTimeoutMs, secureContext }: EncryptorOptions): Encrypt {
  // The library's timer is off, because it would report a stalled handshake as a failed connection.
  const encrypt = buildConnector({ timeout: 0, allowH2: false, ...(secureContext && { secureContext }) })
  return function connectEncrypted(target, callback) {
    let isOver = false
    const finish: buildConnector.Callback = (...result) => {
      timer.cancel()
      const [, socket] = result
      if (isOver) socket?.destroy()
      else callback(...result)
      isOver = true
    }
    const timer = systemClock.startTimer(tlsTimeoutMs, () => {
      finish(new TlsTimeoutError(`the TLS handshake was not over in ${tlsTimeoutMs} ms`), null)
      target.httpSocket.destroy()
    })
    encrypt(target, finish)
  }
}

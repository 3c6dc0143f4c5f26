import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { createEncryptor, type EncryptorOptions } from './create-encryptor.ts'

export interface TimedConnectorOptions extends EncryptorOptions {
  readonly connectTimeoutMs: number
  /** The resolver of names, where it is not the system's. */
  readonly lookup?: LookupFunction
}

/** Opens connections step by step, with a timeout for each step: first the socket, then the TLS handshake. */
export function createTimedConnector(options: TimedConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs, lookup } = options
  const dial = buildConnector({ timeout: connectTimeoutMs, allowH2: false, ...(lookup && { lookup }) })
  const encrypt = createEncryptor(options)
  return function connectTimed(target, callback) {
    if (target.protocol !== 'https:') {
      dial(target, callback)
      return
    }
    const { servername: _servername, ...address } = target
    dial(
      { ...address, protocol: 'http:', port: target.port === '' ? '443' : target.port },
      (error, socket) => {
        if (error === null) encrypt({ ...target, httpSocket: socket }, callback)
        else callback(error, null)
      },
    )
  }
}

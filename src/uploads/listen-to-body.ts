import type { Readable } from 'node:stream'
import { GatewayError } from '../canonical/failure.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'

export interface BodyListener {
  onData(chunk: Buffer): void
  onEnd(): void
  /** Called where the body breaks off, with `malformed_request`; may be called twice. */
  onCut(error: GatewayError): void
}

/** Listens to the body of a request as it arrives. The returned function stops listening. */
export function listenToBody(source: Readable, { onData, onEnd, onCut }: BodyListener): () => void {
  const cut = (logCause: string) => onCut(new GatewayError('malformed_request', { logCause }))
  const onClose = (): void => {
    if (!source.readableEnded) cut('the connection was closed')
  }
  source.on('data', onData)
  source.on('end', onEnd)
  source.on('close', onClose)
  // This listener is never removed: an `error` event without a listener would end the process.
  source.on('error', (error) => cut(`the connection broke off: ${reasonOf(error)}`))
  return () => {
    source.off('data', onData)
    source.off('end', onEnd)
    source.off('close', onClose)
  }
}

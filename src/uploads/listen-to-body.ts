import type { Readable } from 'node:stream'
import { GatewayError } from '../canonical/failure.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'

export interface BodyListener {
  onData(chunk: Buffer): void
  onEnd(): void
  /** Called where the body breaks off, with `malformed_request`; perhaps twice. */
  onCut(error: GatewayError): void
}

/** Listens to the body of a request as it comes. Returns what ends that. */
export function listenToBody(source: Readable, { onData, onEnd, onCut }: BodyListener): () => void {
  const cut = (logCause: string) => onCut(new GatewayError('malformed_request', { logCause }))
  const onClose = (): void => {
    if (!source.readableEnded) cut('the connection was closed')
  }
  source.on('data', onData)
  source.on('end', onEnd)
  source.on('close', onClose)
  // It stays to the end: the process would end by an error that nobody hears.
  source.on('error', (error) => cut(`the connection broke off: ${reasonOf(error)}`))
  return () => {
    source.off('data', onData)
    source.off('end', onEnd)
    source.off('close', onClose)
  }
}

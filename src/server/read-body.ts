import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'
import type { BodyBytes } from '../kit/body-bytes.ts'
import { BodyIntake } from '../kit/body-intake.ts'

export type BodyListener = (error: Error | null, body?: BodyBytes) => void

/** Takes a request's body in, chunk by chunk as it comes, up to a bound. Calls back once. */
export function readBody(message: IncomingMessage, maxBytes: number, done: BodyListener): void {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) {
    done(tooLarge(maxBytes))
    return
  }
  const intake = new BodyIntake()
  message.on('data', onData)
  message.on('end', onEnd)
  message.on('error', onError)

  function stop() {
    message.off('data', onData)
    message.off('end', onEnd)
    message.off('error', onError)
  }

  function onData(chunk: Buffer) {
    if (intake.length + chunk.length <= maxBytes) {
      intake.push(chunk)
      return
    }
    stop()
    message.pause()
    done(tooLarge(maxBytes))
  }

  function onEnd() {
    stop()
    done(null, intake.end())
  }

  function onError(cause: Error) {
    stop()
    done(new GatewayError('malformed_request', {}, { cause }))
  }
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', {
    message: `The request body is larger than this gateway takes (${maxBytes} bytes).`,
  })
}

import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { OperatorError } from '../../canonical/operator-error.ts'
import { bareHost } from '../../kit/net/bare-host.ts'
import { systemClock } from '../../kit/time/clock.ts'

export interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The SHA-256 fingerprint of the expected server certificate, in OpenSSL's form. Only for https. */
  readonly certificate?: string | undefined
  readonly timeoutMs: number
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Thrown where a server took a request and did not answer in time. The system's own error says only "aborted". */
class AnswerTimeoutError extends Error {
  override readonly name = 'AnswerTimeoutError'
  readonly code = 'ETIMEDOUT'

  constructor(timeoutMs: number) {
    super(`it did not answer within ${timeoutMs / 1_000} s`)
  }
}

/**
 * Sends a request to a server of this installation. Over https the server is identified by the certificate that it
 * recorded in the data folder, since the name in the certificate is for other clients. Nothing is sent before the
 * certificate matches.
 */
export async function sendRequest(sent: SentRequest): Promise<Answer> {
  const signal = AbortSignal.timeout(sent.timeoutMs)
  try {
    const response = await openRequest(sent, signal)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(Buffer.from(chunk))
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    throw signal.aborted ? new AnswerTimeoutError(sent.timeoutMs) : error
  }
}

/** Sends a request and returns the answer as a stream. The stream may take any time as long as bytes keep coming. */
export async function sendForStream(sent: SentRequest): Promise<IncomingMessage> {
  const stalled = new AbortController()
  const timer = systemClock.startTimer(sent.timeoutMs, () => stalled.abort())
  try {
    const response = await openRequest(sent, stalled.signal)
    response.on('data', () => timer.restart())
    response.once('close', () => timer.cancel())
    return response.pause()
  } catch (error) {
    timer.cancel()
    throw stalled.signal.aborted ? new AnswerTimeoutError(sent.timeoutMs) : error
  }
}

async function openRequest(sent: SentRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const url = new URL(sent.url)
  if (url.protocol !== 'https:') return exchange(sent, signal)
  const socket = await connectKnown(url, sent.certificate, signal)
  return exchange(sent, signal, socket)
}

function exchange(sent: SentRequest, signal: AbortSignal, socket?: TLSSocket): Promise<IncomingMessage> {
  const { url, method, headers, body } = sent
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options = { method, headers: { ...headers, ...length }, signal }
  return new Promise((resolve, reject) => {
    const request =
      socket === undefined
        ? requestHttp(url, { ...options, agent: false })
        : requestHttps(url, { ...options, createConnection: () => socket })
    request.on('error', reject)
    request.on('response', resolve)
    request.end(body)
  })
}

function connectKnown(url: URL, certificate: string | undefined, signal: AbortSignal): Promise<TLSSocket> {
  const host = bareHost(url)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: url.port === '' ? 443 : Number(url.port),
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      // The certificate's fingerprint is checked instead of its authority.
      rejectUnauthorized: false,
    })
    const onAbort = () =>
      socket.destroy(new DOMException('the server did not answer in time', 'TimeoutError'))
    signal.addEventListener('abort', onAbort)
    socket.once('close', () => signal.removeEventListener('abort', onAbort))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      if (certificate !== undefined && socket.getPeerCertificate().fingerprint256 === certificate) {
        resolve(socket)
        return
      }
      socket.destroy()
      reject(
        new OperatorError(
          'server_unproven',
          `what listens at ${url.origin} shows a certificate that is not the one of the server on this data folder`,
        ),
      )
    })
  })
}

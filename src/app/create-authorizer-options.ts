// The ways in which authorizers find credentials: the environment, files, and services that issue them.

import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import type { Clock } from '../kit/time/clock.ts'
import { errorCodeOf } from '../kit/values/error-code.ts'
import type { AuthorizerOptions, CredentialAnswer, CredentialRequest } from '../providers/authorizer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import { UpstreamCallError } from '../upstream/transport-fault.ts'
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts'

export interface AuthorizerSources {
  readonly config: Config
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly clock: Clock
}

const MAX_ANSWER_BYTES = 64 * 1024

export function createAuthorizerOptions(sources: AuthorizerSources): AuthorizerOptions {
  const { config, redactor, clock } = sources
  return {
    clock,
    variables: config.file.environment.variables,
    readText,
    fetch: (request) => fetchCredential(request, sources),
    onSecret: (secret) => redactor.addPassing(secret),
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function writeUpstreamRequest({
  method,
  url,
  headers = {},
  body,
  allowPrivate = false,
  timeoutMs,
}: CredentialRequest): UpstreamRequest {
  const { origin, pathname, search } = new URL(url)
  return {
    method,
    origin,
    pathAndQuery: pathname + search,
    headers: { accept: 'application/json', ...headers },
    body: body === undefined ? [] : [Buffer.from(body, 'utf8')],
    connectTimeoutMs: timeoutMs,
    tlsTimeoutMs: timeoutMs,
    allowPrivate,
  }
}

/** Makes one small exchange. Rejects where no whole answer came in time. */
function fetchCredential(
  credentialRequest: CredentialRequest,
  { upstream, clock }: AuthorizerSources,
): Promise<CredentialAnswer> {
  const { timeoutMs } = credentialRequest
  const request = writeUpstreamRequest(credentialRequest)
  const { origin } = request
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
    let bytes = 0
    const timer = clock.startTimer(timeoutMs, () => {
      flow.abort()
      reject(new UpstreamCallError(`no answer from ${origin} within ${timeoutMs} ms`))
    })
    const finish = () => {
      timer.cancel()
      resolve({ status, body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8') })
    }
    const flow = upstream.call(request, {
      onHead(received) {
        status = received
      },
      onData(chunk) {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= MAX_ANSWER_BYTES) return
        flow.abort()
        finish()
      },
      onEnd: finish,
      onFault({ message }) {
        timer.cancel()
        reject(new UpstreamCallError(`${origin} could not be reached: ${message}`))
      },
    })
  })
}

// The sources of credentials for authorizers: the environment, files, and services that issue credentials.
import type { Config } from '../config/config.ts'
import { readOptionalFile } from '../config/source/read-config-files.ts'
import type { Clock } from '../kit/time/clock.ts'
import type {
  AuthorizerOptions,
  CredentialAnswer,
  CredentialRequest,
  NoCredentialAnswer,
} from '../providers/authorizer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import { type Settlement, settleCall } from '../upstream/settle-call.ts'
import { type TransportFault, UpstreamCallError } from '../upstream/transport-fault.ts'
import type { Upstream, UpstreamListener, UpstreamRequest } from '../upstream/upstream.ts'
import { emptyBody } from '../upstream/upstream-body.ts'

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
    readText: readOptionalFile,
    fetch: (request) => fetchCredential(request, sources),
    onSecret: (secret) => redactor.addPassing(secret),
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
    body: body === undefined ? emptyBody : { type: 'bytes', parts: [Buffer.from(body, 'utf8')] },
    connectTimeoutMs: timeoutMs,
    tlsTimeoutMs: timeoutMs,
    allowPrivate,
  }
}

/** Sends a small request for a credential and reads its answer. */
async function fetchCredential(
  credentialRequest: CredentialRequest,
  { upstream, clock }: AuthorizerSources,
): Promise<CredentialAnswer | NoCredentialAnswer> {
  const { timeoutMs } = credentialRequest
  const request = writeUpstreamRequest(credentialRequest)
  const { origin } = request
  const late = new AbortController()
  const timer = clock.startTimer(timeoutMs, () =>
    late.abort(new UpstreamCallError(`no answer from ${origin} within ${timeoutMs} ms`)),
  )
  try {
    const listen = (settlement: Settlement<CredentialAnswer>) => new CredentialListener(settlement, origin)
    return await settleCall(upstream, { request, signal: late.signal, listen })
  } catch (cause) {
    if (cause instanceof UpstreamCallError) return { type: 'unanswered', cause }
    throw cause
  } finally {
    timer.cancel()
  }
}

class CredentialListener implements UpstreamListener {
  readonly #settlement: Settlement<CredentialAnswer>
  readonly #origin: string
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0

  constructor(settlement: Settlement<CredentialAnswer>, origin: string) {
    this.#settlement = settlement
    this.#origin = origin
  }

  onHead(status: number): void {
    this.#status = status
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes > MAX_ANSWER_BYTES) this.onEnd()
  }

  onEnd(): void {
    const body = Buffer.concat(this.#chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
    this.#settlement.resolve({ type: 'answered', status: this.#status, body })
  }

  onFault({ message }: TransportFault): void {
    this.#settlement.reject(new UpstreamCallError(`${this.#origin} could not be reached: ${message}`))
  }
}

import { z } from 'zod'
import { adminErrorSchema } from '../../admin/error-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { isNonceSignature } from '../../kit/net/nonce-signature.ts'
import { ServerRefusedError } from '../output/server-refused-error.ts'
import { type SentRequest, sendForStream, sendRequest } from './send-request.ts'

const TIMEOUT_MS = 15_000

/** Thrown where no server listens at the address. */
export class ConnectionRefusedError extends Error {
  override readonly name = 'ConnectionRefusedError'
}

export interface RemoteServer {
  readonly adminUrl: string
  /** The certificate that identifies the server where it speaks HTTPS. */
  readonly certificate: string | undefined
  readonly token: string
}

export interface UnverifiedServer extends Omit<RemoteServer, 'token'> {
  /** The key with which the server proves its identity, from the data folder. */
  readonly signingKey: string | undefined
}

export interface RemoteCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/admin/v1`, with its query. */
  readonly path: string
  readonly body?: object
  /** The timeout of the whole answer. 15 s by default. */
  readonly timeoutMs?: number
}

/** The part of a contract's schema that validates an answer. */
export interface AnswerSchema<Result> {
  safeParse(value: unknown): { readonly success: true; readonly data: Result } | { readonly success: false }
}

/**
 * Calls the admin API of a running server. Rejects with `ConnectionRefusedError`, or with the error of the server, the
 * token or the request.
 */
export type CallServer = <Result>(call: RemoteCall, schema: AnswerSchema<Result>) => Promise<Result>

export function createCallServer({ adminUrl, certificate, token }: RemoteServer): CallServer {
  const base = baseOf(adminUrl)
  return async ({ method, path, body, timeoutMs = TIMEOUT_MS }, schema) => {
    requireNames(path)
    const sent: SentRequest = {
      url: base + path,
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      certificate,
      timeoutMs,
    }
    const { status, text } = await reaching(sent, sendRequest)
    const answer = tryParseJson(text)
    if (status < 200 || status > 299) throw readRefusal(status, answer)
    const checked = schema.safeParse(answer)
    if (checked.success) return checked.data
    throw new OperatorError(
      'server_answer_unreadable',
      `the server at ${adminUrl} gave an answer that cannot be read`,
    )
  }
}

/** Refuses names that would make the path that of another operation. A variable that is not set gives an empty one. */
function requireNames(path: string): void {
  const [plain = ''] = path.split('?', 1)
  const odd = plain
    .split('/')
    .slice(1)
    .find((part) => ['', '.', '..'].includes(part))
  if (odd !== undefined) throw new OperatorError('option_invalid', `the name or ID "${odd}" names nothing`)
}

/** Requests an answer that is not JSON and reads it as a stream. */
export type DownloadFrom = (path: string, method: 'GET' | 'POST') => Promise<AsyncIterable<Buffer>>

/** The timeout until the next bytes. It is long, since the server may first copy a large file. */
const DOWNLOAD_TIMEOUT_MS = 600_000

export function createDownloadFrom({ adminUrl, certificate, token }: RemoteServer): DownloadFrom {
  return async (path, method) => {
    const sent = {
      url: baseOf(adminUrl) + path,
      method,
      headers: { authorization: `Bearer ${token}` },
      certificate,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    }
    const response = await reaching(sent, sendForStream)
    const { statusCode: status = 0 } = response
    if (status === 200) return response
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(Buffer.from(chunk))
    throw readRefusal(status, tryParseJson(Buffer.concat(chunks).toString('utf8')))
  }
}

/** Whether the listener is the server that wrote the data folder's file. No secret is sent for this check. */
export async function provesItself(
  { adminUrl, certificate, signingKey }: UnverifiedServer,
  nonce: string,
): Promise<boolean> {
  const url = `${baseOf(adminUrl)}/proof?nonce=${nonce}`
  // The server proves itself only to this machine, so the host is `localhost` for every address.
  const headers = { host: 'localhost' }
  const sent = { url, method: 'GET', headers, certificate, timeoutMs: TIMEOUT_MS }
  const { status, text } = await reaching(sent, sendRequest)
  const answer = signedNonceSchema.safeParse(tryParseJson(text))
  return (
    status === 200 &&
    answer.success &&
    signingKey !== undefined &&
    isNonceSignature(answer.data.proof, signingKey, nonce)
  )
}

const signedNonceSchema = z.object({ proof: z.string() })

function baseOf(adminUrl: string): string {
  return `${adminUrl.replace(/\/+$/, '')}/admin/v1`
}

type Send<Reached> = (sent: SentRequest) => Promise<Reached>

async function reaching<Reached>(sent: SentRequest, send: Send<Reached>): Promise<Reached> {
  try {
    return await send(sent)
  } catch (error) {
    if (isRefused(error)) throw new ConnectionRefusedError(`nobody listens at ${sent.url}`)
    if (error instanceof OperatorError) throw error
    const [address] = sent.url.split('?', 1)
    const happened = `the server at ${address} cannot be reached: ${reasonOf(error)}`
    throw new OperatorError('server_unreachable', happened, { cause: error })
  }
}

function readRefusal(status: number, answer: unknown): OperatorError | ServerRefusedError {
  if (status === 401)
    return new OperatorError('admin_token_refused', 'the running server refuses the admin token')
  const refusal = adminErrorSchema.safeParse(answer)
  if (!refusal.success)
    return new OperatorError('server_answer_unreadable', `the server answered with status ${status}`)
  const { message, code, problems = [] } = refusal.data.error
  if (problems.length < 2 || code === 'invalid_field' || code === 'missing_field')
    return new ServerRefusedError(message)
  return new ServerRefusedError(`nothing was changed:\n${problems.map(writeProblem).join('\n')}`)
}

function writeProblem({ path, message }: { readonly path: string; readonly message: string }): string {
  return `  ${path}: ${message}`
}

// A name with several addresses gives one error for each address.
function isRefused(error: unknown): boolean {
  if (errorCodeOf(error) === 'ECONNREFUSED') return true
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isRefused)
}

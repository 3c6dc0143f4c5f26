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

/** Thrown where there is no server at the address. */
export class ConnectionRefusedError extends Error {
  override readonly name = 'ConnectionRefusedError'
}

export interface RemoteServer {
  readonly adminUrl: string
  /** The certificate by which the server is recognised where it speaks HTTPS. */
  readonly certificate: string | undefined
  readonly token: string
}

export interface UnverifiedServer extends Omit<RemoteServer, 'token'> {
  /** The key by which the server proves itself, as the data folder names it. */
  readonly signingKey: string | undefined
}

export interface RemoteCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/admin/v1`, with its query. */
  readonly path: string
  readonly body?: object
  /** The limit of the whole answer; 15 s by default. */
  readonly timeoutMs?: number
}

/** The part of a contract's schema that checks an answer. */
export interface AnswerSchema<Result> {
  safeParse(value: unknown): { readonly success: true; readonly data: Result } | { readonly success: false }
}

/**
 * Asks the admin API of a running server. Fails with `ConnectionRefusedError`, or with what else is wrong with the
 * server, the token or the request.
 */
export type CallServer = <Result>(call: RemoteCall, schema: AnswerSchema<Result>) => Promise<Result>

export function createCallServer({ adminUrl, certificate, token }: RemoteServer): CallServer {
  const base = baseOf(adminUrl)
  return async ({ method, path, body, timeoutMs = TIMEOUT_MS }, schema) => {
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

/** Asks for what is no JSON, to be read as it comes. */
export type DownloadFrom = (path: string, method: 'GET' | 'POST') => Promise<AsyncIterable<Buffer>>

/** The time that a server may take for the next bytes; what it copies first may be large. */
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

/** Whether what listens there wrote the data folder's file; nothing that it may not know is sent. */
export async function provesItself(
  { adminUrl, certificate, signingKey }: UnverifiedServer,
  nonce: string,
): Promise<boolean> {
  const url = `${baseOf(adminUrl)}/proof?nonce=${nonce}`
  // The server proves itself to this machine alone, by whatever address it is reached.
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
    const happened = `the server at ${sent.url} cannot be reached: ${reasonOf(error)}`
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

// A name with several addresses gives an error for each.
function isRefused(error: unknown): boolean {
  if (errorCodeOf(error) === 'ECONNREFUSED') return true
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isRefused)
}

import {
  adminErrorSchema,
  createdKeySchema,
  type KeyOperations,
  keyListSchema,
  keyViewSchema,
} from '../admin/contract.ts'
import { parseJson } from '../kit/parse-json.ts'
import { type Answer, type SentRequest, sendRequest } from './send-request.ts'

const TIMEOUT_MS = 15_000

/** There is no server at the address. */
export class NobodyListens extends Error {}

export interface RemoteKeys {
  readonly operations: KeyOperations
  /** Fails with `NobodyListens`, or with what else is wrong with the server or the token. */
  probe(): Promise<void>
}

export interface RemoteServer {
  readonly adminUrl: string
  /** By which it is known where it speaks https. */
  readonly certificate: string | undefined
  readonly token: string
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** What a schema of the contract does. */
interface AnswerSchema<Result> {
  safeParse(value: unknown): { readonly success: true; readonly data: Result } | { readonly success: false }
}

/** The operations on keys, carried out by a running server. */
export function createRemoteKeys({ adminUrl, certificate, token }: RemoteServer): RemoteKeys {
  const base = `${adminUrl.replace(/\/+$/, '')}/admin/v1`

  async function call<Result>({ method, path, body }: Call, schema: AnswerSchema<Result>): Promise<Result> {
    const { status, text } = await send({
      url: base + path,
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      certificate,
      timeoutMs: TIMEOUT_MS,
    })
    const answer = readAnswer(text)
    if (status < 200 || status > 299) throw new Error(describeRefusal(status, answer))
    const checked = schema.safeParse(answer)
    if (checked.success) return checked.data
    throw new Error(`the server at ${adminUrl} gave an answer that cannot be read; is it another version?`)
  }

  const one = (reference: string): string => `/keys/${encodeURIComponent(reference)}`
  return {
    probe: async () => void (await call({ method: 'GET', path: '/keys' }, keyListSchema)),
    operations: {
      list: ({ includeRevoked }) =>
        call({ method: 'GET', path: `/keys?include_revoked=${includeRevoked}` }, keyListSchema),
      create: (input) => call({ method: 'POST', path: '/keys', body: input }, createdKeySchema),
      get: (reference) => call({ method: 'GET', path: one(reference) }, keyViewSchema),
      setDisabled: (reference, disabled) =>
        call({ method: 'PATCH', path: one(reference), body: { disabled } }, keyViewSchema),
      revoke: (reference) => call({ method: 'DELETE', path: one(reference) }, keyViewSchema),
    },
  }
}

async function send(sent: SentRequest): Promise<Answer> {
  try {
    return await sendRequest(sent)
  } catch (error) {
    if (isRefused(error)) throw new NobodyListens(`nobody listens at ${sent.url}`)
    throw new Error(`the server at ${sent.url} cannot be reached: ${reasonOf(error)}`, { cause: error })
  }
}

function readAnswer(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function describeRefusal(status: number, answer: unknown): string {
  const refusal = adminErrorSchema.safeParse(answer)
  if (status === 401) return 'the running server refuses the admin token; set HEADGATE_ADMIN_TOKEN to its own'
  return refusal.success ? refusal.data.error.message : `the server answered with status ${status}`
}

// A name with several addresses gives an error for each.
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === 'ECONNREFUSED') return true
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isRefused)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

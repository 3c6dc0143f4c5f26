import {
  adminErrorSchema,
  createdKeySchema,
  type KeyOperations,
  keyListSchema,
  keyViewSchema,
} from '../admin/contract.ts'
import { parseJson } from '../kit/parse-json.ts'

const TIMEOUT_MS = 15_000

/** There is no server at the address. */
export class NobodyListens extends Error {}

export interface RemoteKeys {
  readonly operations: KeyOperations
  /** Fails with `NobodyListens`, or with what else is wrong with the server or the token. */
  probe(): Promise<void>
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** What a schema of the contract does. */
interface AnswerSchema<Answer> {
  safeParse(value: unknown): { readonly success: true; readonly data: Answer } | { readonly success: false }
}

/** The operations on keys, carried out by a running server. */
export function createRemoteKeys(adminUrl: string, token: string): RemoteKeys {
  const base = `${adminUrl.replace(/\/+$/, '')}/admin/v1`

  async function call<Answer>({ method, path, body }: Call, schema: AnswerSchema<Answer>): Promise<Answer> {
    const response = await send(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer = readAnswer(await response.text())
    if (!response.ok) throw new Error(describeRefusal(response.status, answer))
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

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (isRefused(error)) throw new NobodyListens(`nobody listens at ${url}`)
    throw new Error(`the server at ${url} cannot be reached: ${reasonOf(error)}`, { cause: error })
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

// fetch hides the reason in the cause; a name with several addresses gives an error for each.
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === 'ECONNREFUSED') return true
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isRefused)
  return isRefused(error.cause)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

import type { ZodType } from 'zod'
import { adminErrorSchema } from '../../../src/admin/error-contract.ts'
import { apiAddress } from '../browser/addresses.ts'
import { ApiError, hasCode, isUnanswered } from './api-error.ts'

export type QueryValue = string | number | boolean | undefined

export interface ApiCall<Answer> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/admin/v1`, its parts escaped. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  /** The ETag of the state that the change is made for. The gateway refuses a change of a newer state. */
  readonly ifMatch?: string | undefined
  /** The schema of the answer, of the contract. */
  readonly answer: ZodType<Answer>
  readonly signal?: AbortSignal | undefined
}

/** The part of the page that handles a required sign-in or password. */
export interface Session {
  /** Asks for the password again before the operation at this path. Resolves with whether it was entered. */
  reauthenticate(path: string): Promise<boolean>
  /** The session is over. */
  onEnded(): void
}

let session: Session | undefined

/** Registers the part of the page that can ask for a password. */
export function joinSession(joined: Session | undefined): void {
  session = joined
}

/** A response, and the ETag of the state that it shows. */
export interface TaggedAnswer<Answer> {
  readonly body: Answer
  readonly etag: string | undefined
}

/** Calls an operation and parses its response by the contract. Fails with `ApiError`. */
export async function callApi<Answer>(call: ApiCall<Answer>): Promise<Answer> {
  return (await callTagged(call)).body
}

/** Like `callApi`, for a response that a later change is made for. */
export async function callTagged<Answer>(call: ApiCall<Answer>): Promise<TaggedAnswer<Answer>> {
  try {
    return await callInSession(call)
  } catch (error) {
    if (!hasCode(error, 'reauthentication_required') || session === undefined) throw error
    if (await session.reauthenticate(call.path)) return callInSession(call)
    throw new ApiError({ code: 'unconfirmed', status: 0, message: '' }, { cause: error })
  }
}

/** Notices the end of the session. A change without a response fails with `unanswered`, as it may have been made. */
async function callInSession<Answer>(call: ApiCall<Answer>): Promise<TaggedAnswer<Answer>> {
  try {
    return await callOnce(call)
  } catch (error) {
    noticeEnd(error)
    if (call.method !== undefined && call.method !== 'GET' && isUnanswered(error))
      throw new ApiError(
        { code: 'unanswered', status: error.status, message: error.message },
        { cause: error },
      )
    throw error
  }
}

/** Shows the sign-in if the error says that the session is over. */
export function noticeEnd(error: unknown): void {
  if (hasCode(error, 'admin_only')) session?.onEnded()
}

async function callOnce<Answer>({ answer, ...call }: ApiCall<Answer>): Promise<TaggedAnswer<Answer>> {
  const response = await sendCall(call)
  const body = await readJson(response)
  if (!response.ok) throw readError(response.status, body)
  const read = answer.safeParse(body)
  if (read.success) return { body: read.data, etag: readEtag(response) }
  const [issue] = read.error.issues
  const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`
  throw new ApiError({ code: 'unreadable', status: response.status, message: `${call.path}${where}` })
}

/** The number of a version. A proxy that compresses may write a tag of its own, which the gateway does not know. */
function readEtag({ headers }: Response): string | undefined {
  return /^(?:W\/)?("\d+")$/.exec(headers.get('etag') ?? '')?.[1]
}

/** Sends a call whose response may be read as a stream. Fails with `ApiError` if no response arrives. */
export async function sendCall(call: Omit<ApiCall<unknown>, 'answer'>): Promise<Response> {
  const { method = 'GET', body, ifMatch, signal } = call
  try {
    return await fetch(addressOf(call), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new ApiError({ code: 'unreachable', status: 0, message: '' }, { cause })
  }
}

/** The address of an operation with its query, for links and downloads. */
export function addressOf({ path, query = {} }: Pick<ApiCall<unknown>, 'path' | 'query'>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, String(value))
  return apiAddress(params.size === 0 ? path : `${path}?${params}`)
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    // A text that is no JSON is complete. Any other error means that the connection ended before the response did.
    const code = cause instanceof SyntaxError ? 'unreadable' : 'unreachable'
    throw new ApiError({ code, status: response.status, message: response.statusText }, { cause })
  }
}

export function readError(status: number, body: unknown): ApiError {
  const read = adminErrorSchema.safeParse(body)
  if (!read.success) return new ApiError({ code: 'unreadable', status, message: '' })
  const { code, message, param, problems } = read.data.error
  return new ApiError({ code: code ?? 'unreadable', status, message, param: param ?? undefined, problems })
}

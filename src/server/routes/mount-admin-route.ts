import type { ServerResponse } from 'node:http'
import { type AdminAnswer, type AnyAdminRoute, callAdminRoute } from '../../admin/admin-route.ts'
import { checkFields } from '../../admin/people/admit-operator.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { MAX_BODY_DEPTH } from '../../kit/json/body-bytes.ts'
import { isDeepJson } from '../../kit/json/is-deep-json.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import { closeWhenStalled } from '../../kit/net/close-when-stalled.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AdminHosts } from '../admin-hosts.ts'
import { isSecure } from '../own-origin.ts'
import type { RequestHead } from '../request-head.ts'
import type { ServerRoute } from '../route.ts'

interface MountOptions {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly adminHosts: () => AdminHosts
}

const methods = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' } as const

/** Creates the route of the listener for an operation of the admin API. */
export function mountAdminRoute(route: AnyAdminRoute, { clock, adminHosts }: MountOptions): ServerRoute {
  return {
    type: 'reply',
    method: methods[route.method],
    path: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    policy: route.policy,
    async handle({ head, identity, params, body, response }) {
      const principal = identity.type === 'operator' ? identity.principal : undefined
      const read = body.length === 0 ? undefined : readBody(body)
      checkFields(route.policy, principal, { body: read, nowMs: clock.nowMs() })
      const request = {
        params,
        query: Object.fromEntries(new URLSearchParams(head.query)),
        body: read,
        ifMatch: head.message.headers['if-match'],
        address: head.address,
        userAgent: head.message.headers['user-agent'] ?? '',
        cookie: head.message.headers.cookie,
        baseUrl: baseUrlOf(head, adminHosts()),
        isSecure: isSecure(head, adminHosts()),
        signal: signalOf(response),
      }
      const answer = await callAdminRoute(route, request, principal)
      if (answer.download !== undefined) return sendDownload(response, answer, answer.download)
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...answer.headers },
        body: JSON.stringify(answer.body),
      }
    },
  }
}

/** Aborted if the connection closes before the answer is complete. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

/** The public address if the browser uses its host; else the address of the listener as the browser sees it. */
function baseUrlOf({ message }: RequestHead, hosts: AdminHosts): string {
  const host = message.headers.host?.toLowerCase() ?? 'localhost'
  const { publicUrl } = hosts
  if (publicUrl !== undefined && new URL(publicUrl).host === host) return publicUrl
  return `${isSecure({ message }, hosts) ? 'https' : 'http'}://${host}`
}

/** Reads a body. Its depth is limited like that of callers' bodies, so that code which walks through it ends. */
function readBody(body: BodyBytes): unknown {
  try {
    const text = body.text()
    if (isDeepJson(text))
      throw refuse('json_too_deep', {
        message: TOO_DEEP,
        fact: { code: 'too_many_levels', values: { maximum: MAX_BODY_DEPTH } },
      })
    return parseJson(text)
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : new GatewayError('invalid_json', {}, { cause })
  }
}

const TOO_DEEP = `The body is nested more than ${MAX_BODY_DEPTH} levels deep.`

/** A client that reads nothing of the waiting bytes is disconnected after one to two times this. */
const STALLED_MS = 30_000

/**
 * Sends bytes of unknown length. If they end early, the connection is closed, so that the download does not look
 * complete.
 */
async function sendDownload(
  response: ServerResponse,
  { status, headers }: Pick<AdminAnswer, 'status' | 'headers'>,
  bytes: AsyncIterable<Buffer>,
): Promise<'handed-over'> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve))
  try {
    response.writeHead(status, { 'cache-control': 'no-store', ...headers })
    for await (const chunk of bytes) {
      if (response.destroyed) return 'handed-over'
      if (response.write(chunk)) continue
      closeWhenStalled(response.socket, STALLED_MS)
      await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), gone])
      closeWhenStalled(response.socket, undefined)
    }
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
  return 'handed-over'
}
